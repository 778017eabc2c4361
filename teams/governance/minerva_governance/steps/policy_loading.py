"""Load all attached policies and notices together, or the baseline where there is none.

People hand in whole folders. A YAML that is no policy and a text that is no notice are left out and
said. A policy with a mistake is left out as a whole, because half of its rules look like all of
them; the other policies are used, and the person must mend it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from minerva_governance.answers.policy_answer import TEXTS
from minerva_governance.contracts import PolicySet
from minerva_governance.core.data_contracts.contract_file import contract_kind
from minerva_governance.core.detection.mask import mask_model, use_masks
from minerva_governance.core.policy.policy import Policy
from minerva_governance.core.policy.policy_file import PolicyError, read_policy, says_policy
from minerva_governance.core.policy.precedence import told_apart
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.reading.source_files import FileUse, Source
from minerva_governance.core.review.html_text import HiddenPart
from minerva_governance.core.review.notice import MAX_BYTES, Clause, NoNoticeError, read_notice
from minerva_platform import YamlError
from minerva_platform.text import Language, read_yaml
from minerva_reading import UnreadableError

MAX_SHOWN_LINES = 5
_TEXT_ENDINGS = frozenset({".md", ".markdown", ".txt"})


def load_policies(sources: Sequence[Source], *, baseline: Path, language: Language) -> PolicySet:
    """Return everything that the policies and notices among `sources` hold.

    The baseline is used where no policy was attached, not where one has mistakes. A YAML of a
    folder that does not call itself a policy is none, whether it loads or not.
    """
    loading = _Loading(language)
    for source in sources:
        if source.kind == "policy":
            loading.add_policy(source)
    with use_masks(strict=any(policy.masks == "strict" for policy in loading.policies)):
        _load_documents(loading, sources)
    asking = [policy for policy in loading.policies if not policy.is_of_reports_only]
    is_baseline = not asking and not loading.mistakes
    bundled = load_policy(Source.of(baseline), language=language) if is_baseline else None
    return PolicySet(
        policies=told_apart((*([bundled] if bundled else ()), *loading.policies)),
        clauses=tuple(loading.clauses),
        problems=tuple(loading.problems),
        mistakes=tuple(loading.mistakes),
        documents=tuple(loading.documents),
        is_baseline=is_baseline,
    )


def _load_documents(loading: "_Loading", sources: Sequence[Source]) -> None:
    """Load what may be a privacy notice; of texts that are none it is said."""
    for source in sources:
        if source.kind == "notice":
            loading.add_notice(source)
        elif source.kind == "markup":
            loading.add_page(source)
        elif source.kind == "prose" and source.path.suffix.casefold() in _TEXT_ENDINGS:
            loading.leave_out(source, TEXTS("file.documentation", loading.language))


def load_policy(source: Source, *, language: Language = "en") -> Policy | None:
    """Return the policy in `source`, or None where the YAML is not a policy at all.

    Raises:
        PolicyError: it is one and has mistakes, or it is not plain YAML.
    """
    try:
        content = read_yaml(source.path)
    except YamlError as error:
        # The parser's words are English; a Korean answer says what to look for instead.
        reason = error.reason if language == "en" else TEXTS("file.no_yaml", language)
        raise PolicyError([Problem(file=source.name, line=error.line, message=reason)]) from None
    return read_policy(content, source.name, language=language)


class _Loading:
    """What was loaded so far, what became of each file, and what was left out and why."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self.policies: list[Policy] = []
        self.clauses: list[Clause] = []
        self.problems: list[Problem] = []
        self.mistakes: list[Problem] = []
        """Of policies that the person must mend."""
        self.documents: list[FileUse] = []

    def add_policy(self, source: Source) -> None:
        """Load a policy, or say why not."""
        text = _text_of(source.path)
        if text is not None and contract_kind(text):
            reason = TEXTS("file.data_contract", self.language)
            self.documents.append(source.use("not_understood", reason))
            return
        if text is not None and not says_policy(text, is_named=source.is_named):
            self.leave_out(source, TEXTS("file.no_policy", self.language))
            return
        try:
            policy = load_policy(source, language=self.language)
        except PolicyError as error:
            # A YAML of a folder that cannot even be opened may be anybody's: nothing to mend.
            self._add_broken(source, error, must_mend=source.is_named or text is not None)
            return
        if policy is None:
            self.leave_out(source, TEXTS("file.no_policy", self.language))
        else:
            self.policies.append(policy)
            self.documents.append(source.use("used"))

    def add_notice(self, source: Source) -> None:
        """Read the clauses of a notice, or say why not."""
        try:
            clauses, odd, hidden_parts, title = read_notice(source)
        except NoNoticeError:
            self.leave_out(source, TEXTS("file.no_notice", self.language))
            return
        except UnreadableError as error:
            reason = error.describe(self.language)
            self.problems.append(_problem(source, reason))
            self.documents.append(source.use("unreadable", reason))
            return
        self.clauses += clauses
        if odd is not None:
            self.problems.append(_problem(source, TEXTS(f"odd_notice.{odd}", self.language)))
        self.problems += self._describe_hidden(source, hidden_parts)
        self.documents.append(source.use("used").model_copy(update={"title": title}))

    def add_page(self, source: Source) -> None:
        """Read an HTML page if it is a notice; any other is no document but a part of a program."""
        try:
            read_notice(source)
        except (NoNoticeError, UnreadableError):
            return
        self.add_notice(source)

    def _describe_hidden(
        self, source: Source, hidden_parts: Sequence[HiddenPart]
    ) -> Iterator[Problem]:
        """Give what a page does not show, kind by kind: nobody reads it, and nothing was judged."""
        lines: dict[str, list[int]] = {}
        for part in hidden_parts:
            lines.setdefault(part.kind, []).append(part.line)
        for kind, places in lines.items():
            numbers = ", ".join(map(str, places[:MAX_SHOWN_LINES]))
            reason = TEXTS(f"hidden.{kind}", self.language, count=len(places), lines=numbers)
            yield _problem(source, reason, places[0])

    def leave_out(self, source: Source, reason: str) -> None:
        """Note a file that is no policy and no notice."""
        self.problems.append(_problem(source, reason))
        self.documents.append(source.use("not_understood", reason))

    def _add_broken(self, source: Source, error: PolicyError, *, must_mend: bool) -> None:
        (self.mistakes if must_mend else self.problems).extend(error.problems)
        lines = ", ".join(dict.fromkeys(str(problem.line) for problem in error.problems))
        reason = TEXTS("file.mistakes", self.language, lines=lines)
        self.documents.append(source.use("unreadable", reason, must_mend=must_mend))


def _text_of(path: Path) -> str | None:
    """Return the text of a YAML, with what is no UTF-8 replaced, or None if it cannot be opened."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return None


def _problem(source: Source, reason: str, line: int = 1) -> Problem:
    return mask_model(Problem(file=source.name, line=line, message=reason))
