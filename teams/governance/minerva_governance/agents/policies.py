"""Load all attached policies and notices together, or the baseline where there is none.

People hand in whole folders. A YAML that is no policy and a text that is no notice are left out and
said. A policy with a mistake is left out as a whole, because half of its rules look like all of
them; the other policies are used, and the person must mend it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minerva_governance.core.detection.mask import mask_model
from minerva_governance.core.policy.policy_file import PolicyError, read_policy, says_policy
from minerva_governance.core.policy.rule import Policy
from minerva_governance.core.reading.source import FileUse, Source
from minerva_governance.core.report.wording import Language, Problem, UnreadableError, Wording
from minerva_governance.core.review.notice import (
    MAX_BYTES,
    Clause,
    NoNoticeError,
    read_notice,
)
from minerva_platform import YamlError
from minerva_platform.text import read_yaml

_NO_POLICY = Wording(
    "정책이 아니어서(`apiVersion: minerva/v1` 없음) 쓰지 않았습니다.",
    "not a policy (no `apiVersion: minerva/v1`); not used.",
)
_PROSE = Wording("설명 문서라서 쓰지 않았습니다.", "documentation; not used.")
_TEXTS = frozenset({".md", ".markdown", ".txt"})
_NO_YAML = Wording(
    "이 줄에서 YAML로 읽히지 않습니다. "
    "들여쓰기, 따옴표, 겹치는 키, 태그(!), 앨리어스(*)를 확인하세요.",
    "{}",
)
_MISTAKES = Wording("정책에 고칠 곳이 있습니다 (줄 {})", "mistakes in the policy, line {}")


@dataclass
class Shelf:
    """What was loaded, what became of each file, and what was left out and why."""

    policies: list[Policy] = field(default_factory=list[Policy])
    clauses: list[Clause] = field(default_factory=list[Clause])
    problems: list[Problem] = field(default_factory=list[Problem])
    mistakes: list[Problem] = field(default_factory=list[Problem])
    """Of policies that the person must mend."""
    documents: list[FileUse] = field(default_factory=list[FileUse])
    is_baseline: bool = False
    """No policy was attached: the bundled baseline is used."""


def load_shelf(sources: Sequence[Source], *, baseline: Path, language: Language) -> Shelf:
    """Return everything that the policies and notices among `sources` hold.

    The baseline is used where no policy was attached, not where one has mistakes. A YAML of a
    folder that does not call itself a policy is none, whether it loads or not.
    """
    shelf = Shelf()
    for source in sources:
        if source.kind == "policy":
            _add_policy(shelf, source, language)
        elif source.kind == "notice":
            _add_notice(shelf, source, language)
        elif source.kind == "prose" and source.path.suffix.casefold() in _TEXTS:
            _leave_out(shelf, source, _PROSE.said_in(language))
    if not shelf.policies and not shelf.mistakes:
        bundled = load_policy(Source.of(baseline), language=language)
        shelf.policies += [bundled] if bundled else []
        shelf.is_baseline = True
    return shelf


def load_policy(source: Source, *, language: Language = "en") -> Policy | None:
    """Return the policy in `source`, or None where the YAML is not a policy at all.

    Raises:
        PolicyError: it is one and has mistakes, or it is not plain YAML.
    """
    try:
        content = read_yaml(source.path)
    except YamlError as error:
        reason = _NO_YAML.said_in(language).format(error.reason)
        raise PolicyError([Problem(file=source.name, line=error.line, message=reason)]) from None
    return read_policy(content, source.name, language=language)


def _add_policy(shelf: Shelf, source: Source, language: Language) -> None:
    text = _text_of(source.path)
    if text is not None and not says_policy(text, is_named=source.is_named):
        _leave_out(shelf, source, _NO_POLICY.said_in(language))
        return
    try:
        policy = load_policy(source, language=language)
    except PolicyError as error:
        _add_broken(shelf, source, error, language, must_mend=source.is_named or text is not None)
        return
    if policy is None:
        _leave_out(shelf, source, _NO_POLICY.said_in(language))
    else:
        shelf.policies.append(policy)
        shelf.documents.append(source.use("used"))


def _text_of(path: Path) -> str | None:
    """Return the text of a YAML, with what is no UTF-8 replaced, or None if it cannot be opened."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return None


def _add_broken(
    shelf: Shelf, source: Source, error: PolicyError, language: Language, *, must_mend: bool
) -> None:
    (shelf.mistakes if must_mend else shelf.problems).extend(error.problems)
    lines = ", ".join(dict.fromkeys(str(problem.line) for problem in error.problems))
    reason = _MISTAKES.said_in(language).format(lines)
    shelf.documents.append(source.use("unreadable", reason, must_mend=must_mend))


def _add_notice(shelf: Shelf, source: Source, language: Language) -> None:
    try:
        clauses, odd = read_notice(source)
    except NoNoticeError as error:
        _leave_out(shelf, source, error.reason.said_in(language))
        return
    except UnreadableError as error:
        reason = error.reason.said_in(language)
        shelf.problems.append(_problem(source, reason))
        shelf.documents.append(source.use("unreadable", reason))
        return
    shelf.clauses += clauses
    if odd is not None:
        shelf.problems.append(_problem(source, odd.said_in(language)))
    shelf.documents.append(source.use("used"))


def _leave_out(shelf: Shelf, source: Source, reason: str) -> None:
    shelf.problems.append(_problem(source, reason))
    shelf.documents.append(source.use("not_understood", reason))


def _problem(source: Source, reason: str) -> Problem:
    return mask_model(Problem(file=source.name, message=reason))
