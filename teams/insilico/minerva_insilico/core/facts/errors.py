"""Errors of the core, each with what to do next in English (its text) and in Korean (`ko`).

```text
CoreError
├── UnreadableRootError     the tree cannot be indexed at all
├── UnreadableSourceError   one file cannot be read; the others can
├── UnusableIndexError      the database is missing, foreign or damaged
├── UnwritableIndexError    there is no place to put it
├── UnknownNameError        nothing in the tree has the name that is asked about
├── WrongQueryError         a pattern that nothing can be searched with
└── MissingExtraError       a library that is not installed
```
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from minerva_insilico.core.parsing.encoding import well_formed

RootFault = Literal["missing", "not_directory", "not_text", "unreadable"]
NameKind = Literal["field", "file", "module", "name", "symbol"]

_ROOT_FAULTS: Final[dict[RootFault, tuple[str, str]]] = {
    "missing": ("does not exist", "없습니다"),
    "not_directory": ("is not a directory", "폴더가 아닙니다"),
    "not_text": ("has a name that is not UTF-8 text", "이름이 UTF-8이 아닙니다"),
    "unreadable": ("cannot be read", "읽을 수 없습니다"),
}
_KINDS: Final[dict[NameKind, tuple[str, str]]] = {
    "field": (
        "The code uses no field or column `{}`.",
        "코드가 쓰는 필드나 컬럼에 `{}`이(가) 없습니다.",
    ),
    "file": ("There is no source `{}`.", "소스 파일 `{}`이(가) 없습니다."),
    "module": ("There is no module `{}`.", "모듈 `{}`이(가) 없습니다."),
    "name": ("The code has no name `{}`.", "코드에 `{}`(이)라는 이름이 없습니다."),
    "symbol": (
        "The code defines and calls no `{}`.",
        "코드가 정의하거나 호출하는 것에 `{}`이(가) 없습니다.",
    ),
}


class CoreError(Exception):
    """Something the core refuses; its text says what to do next, `ko` says it in Korean."""

    def __init__(self, en: str, ko: str) -> None:
        self.ko = ko
        super().__init__(en)


class UnreadableRootError(CoreError):
    """The root of a source tree is not a directory that can be listed."""

    def __init__(self, root: Path, fault: RootFault, details: Sequence[str] = ()) -> None:
        """Take what is wrong; `details` are the system's reason, or folders of like names."""
        self.root, self.fault, self.details = root, fault, tuple(details)
        name = well_formed(str(root)).replace("\0", "\\0")
        en, ko = _ROOT_FAULTS[fault]
        if fault == "missing" and details:
            nearest = ", ".join(f"`{item}`" for item in details)
            en, ko = f"{en} (nearest: {nearest})", f"{ko}(비슷한 이름: {nearest})"
        elif details and details[0]:
            en, ko = f"{en} ({details[0]})", f"{ko}({details[0]})"
        super().__init__(
            f"`{name}` {en}; give the directory that holds the Python sources.",
            f"`{name}`: {ko}. Python 소스가 있는 폴더를 주십시오.",
        )


class UnreadableSourceError(CoreError):
    """A file inside the root is not one that may be read."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"`{path}` is not read: {reason}.", f"`{path}`을(를) 읽지 않았습니다.")


class UnusableIndexError(CoreError):
    """The database of an index cannot be queried."""

    def __init__(self, database: Path, reason: str) -> None:
        self.database, self.reason = database, reason
        super().__init__(
            f"The index `{database}` {reason}; index the directory again with `ast_parser_agent`.",
            f"색인 `{database}`을(를) 쓸 수 없습니다. `ast_parser_agent`로 폴더를 다시"
            " 색인하십시오.",
        )


class UnknownNameError(CoreError):
    """Nothing in the tree has the name that is asked about."""

    def __init__(self, kind: NameKind, name: str, nearest: Sequence[str] = ()) -> None:
        self.kind, self.name, self.nearest = kind, name, tuple(nearest)
        shown = " ".join(well_formed(name).split())[:80]
        en, ko = (text.format(shown) for text in _KINDS[kind])
        if nearest:
            names = ", ".join(f"`{item}`" for item in nearest)
            en, ko = f"{en} Nearest: {names}.", f"{ko} 비슷한 이름: {names}."
        else:
            en = f"{en} No name is near it; look for a word of it: minerva code search PATH WORD"
            ko = f"{ko} 비슷한 이름도 없습니다. 낱말로 찾으십시오: minerva code search 폴더 낱말"
        super().__init__(en, ko)


class WrongQueryError(CoreError):
    """A pattern cannot be searched for."""

    def __init__(self, query: str, reason: str) -> None:
        self.query, self.reason = query, reason
        super().__init__(
            f"The pattern `{query[:80]}` cannot be searched for: {reason}.",
            f"패턴 `{query[:80]}`으로는 찾을 수 없습니다(`{reason}`).",
        )


class MissingExtraError(CoreError):
    """What is asked for needs a library that is not installed."""

    def __init__(self, what: str, command: str) -> None:
        self.what, self.command = what, command
        super().__init__(
            f"{what} needs a library that is not installed. Type: {command}",
            f"필요한 라이브러리가 설치되어 있지 않습니다. 입력할 명령: {command}",
        )


class UnwritableIndexError(CoreError):
    """The index cannot be written."""

    def __init__(self, database: Path, reason: str) -> None:
        self.database, self.reason = database, reason
        super().__init__(
            f"The index `{database}` cannot be written ({reason}); set MINERVA_HOME to a folder"
            " with room that you may write to.",
            f"색인 `{database}`을(를) 쓸 수 없습니다(`{reason}`). 쓸 수 있고 자리가 있는 폴더를"
            " MINERVA_HOME으로 정하십시오.",
        )
