"""Read a whole text file of unknown encoding, up to a size."""

from collections.abc import Mapping
from pathlib import Path

from minerva_governance.core.report.wording import UnreadableError, Wording

ENCODINGS = ("utf-8-sig", "cp949")
"""Tried in this order: cp949 accepts nearly anything, so it comes last."""


def read_text(path: Path, *, limit: int) -> str:
    """Return the text of `path`.

    Raises:
        UnreadableError: missing, larger than `limit` bytes, or in no encoding we try.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise UnreadableError(not_opened(error)) from None
    if len(data) > limit:
        raise UnreadableError(
            Wording(
                f"{limit:,}바이트보다 큽니다. 나누어 주세요.",
                f"larger than {limit:,} bytes; split it.",
            )
        )
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:  # it carries the bytes, so it goes no further
            continue
    raise UnreadableError(NO_ENCODING)


NO_ENCODING = Wording(
    "UTF-8도 CP949도 아닙니다. UTF-8로 저장해 주세요.", "neither UTF-8 nor CP949; save it as UTF-8."
)


_REASONS_KO: Mapping[type[OSError], str] = {
    PermissionError: "권한 없음",
    FileNotFoundError: "파일 없음",
    IsADirectoryError: "폴더",
}


def not_opened(error: OSError) -> Wording:
    """Return why a file could not be opened."""
    reason = error.strerror or type(error).__name__
    ko = _REASONS_KO.get(type(error), type(error).__name__)
    return Wording(f"열 수 없습니다 ({ko}).", f"cannot be opened ({reason}).")
