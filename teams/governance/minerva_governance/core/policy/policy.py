"""A policy as data: rules, waivers, and which parts of the world they are about."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.kind import Kind
from minerva_platform.text import Language, has_hangul, read_texts

TEXTS = read_texts("minerva_governance.core.policy", "policy")

Severity = Literal["low", "medium", "high", "critical"]
TargetKind = Literal["column", "table", "dataset", "code_use", "dependency"]
Predicate = Literal[
    "encrypted",
    "in_notice",
    "standard_name",
    "retention_days",
    "k_anonymity",
    "l_diversity",
    "sink",
    "license",
]

Masks = Literal["partial", "strict"]
Jurisdiction = Literal["KR", "EU"]
"""Whose law the controller is under: Korea's PIPA, or the GDPR (the EEA; the UK has its own)."""
JURISDICTIONS: tuple[Jurisdiction, ...] = get_args(Jurisdiction)

PREDICATE_KINDS: dict[Predicate, tuple[TargetKind, ...]] = {
    "encrypted": ("column",),
    "in_notice": ("column",),
    "standard_name": ("column",),
    "retention_days": ("table",),
    "k_anonymity": ("dataset",),
    "l_diversity": ("dataset",),
    "sink": ("code_use",),
    "license": ("dependency",),
}
"""What each predicate can be asked about."""


_DATA_ENDING = re.compile(
    r"\.(?:csv|tsv|psv|tab|jsonl?|ndjson|xlsx|parquet|db|sqlite3?|duckdb)(?=$|\.|/)"
)
_TWO_LANGUAGES = re.compile(r"(?P<first>.*\S)\s*\((?P<second>[^()]+)\)\s*", re.DOTALL)

NOTICE_RULE = "NOTICE-01"
"""The built-in rule: asked whenever a notice is there and no rule of a policy asks the same."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class Requirement(_Value):
    """One thing a rule asks: a predicate and its argument, as in the file."""

    predicate: Predicate
    forbidden: bool = False
    argument: dict[str, Any] = {}

    @property
    def quasi_sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of quasi-identifiers of `quasi`: one list of names is one set."""
        given: Sequence[str | Sequence[str]] = self.argument.get("quasi", ())
        if all(isinstance(name, str) for name in given):
            given = [cast("Sequence[str]", given)]
        return tuple(dict.fromkeys(tuple(names) for names in given))


class Rule(_Value):
    """One rule of a policy, with the line it starts on."""

    id: str
    title: str = ""
    """May give two languages: `한국어 (English)`."""
    title_other: str = ""
    """The title in the other language, where the policy gives each by itself."""
    severity: Severity = "medium"
    kind: TargetKind
    pii: tuple[Entity, ...] = ()
    """The entities it is about; empty means any column, personal or not."""
    tags: tuple[str, ...] = ()
    """It is about what carries one of them; empty means no matter which."""
    classifications: tuple[str, ...] = ()
    """As an organisation's contracts classify columns and tables: `restricted`."""
    tables: tuple[str, ...] = ()
    """Patterns of the names of tables and files, with `*`."""
    columns: tuple[str, ...] = ()
    """Patterns of the names of columns, with `*`."""
    requirements: tuple[Requirement, ...] = ()
    authority: tuple[str, ...] = ()
    source: str = ""
    line: int = 1
    policy: str = ""
    """The policy it belongs to: two policies may have a rule of one id."""

    @property
    def tag(self) -> str | None:
        """What it is narrowed down to, in words; None if it is about everything of its kind."""
        asked = [*self.tags, *self.classifications, *self.tables, *self.columns]
        return ", ".join(asked) or None

    @property
    def names_columns(self) -> bool:
        """True if it tells by itself which columns it is about, personal or not."""
        return bool(self.columns or self.classifications or self.tags)

    def title_in(self, language: Language) -> str:
        """Return the title in `language` if it gives both, else as it stands."""
        two = _TWO_LANGUAGES.fullmatch(self.title)
        if two is None:
            return self.title
        by_hangul = {has_hangul(part): part for part in two.groups()}
        return by_hangul[language == "ko"] if len(by_hangul) > 1 else self.title


class Waiver(_Value):
    """A finding that somebody answers for, until a day (that day included)."""

    rule: str
    target: str
    until: dt.date
    by: str = ""
    reason: str = ""
    line: int = 1

    def covers(self, rule_id: str, target: str) -> bool:
        """True if it is about this rule and target; `*` stands for anything, without case.

        The folders before a file's name may be left out, and the ending of a data file, too.
        """
        return self.rule == rule_id and is_named(target, [self.target])


class Policy(_Value):
    """A loaded policy file."""

    id: str
    version: str = ""
    source: str = ""
    owner: str = ""
    """Whom the policy names for questions; as it stands there, for people must reach them."""
    jurisdictions: tuple[Jurisdiction, ...] = ()
    """As the policy says; none if it does not, whatever its language."""
    overrides: tuple[str, ...] = ()
    """Ids of the policies whose rules give way where they have the same id."""
    sha256: str = ""
    rules: tuple[Rule, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    tags: dict[str, tuple[str, ...]] = {}
    kinds: tuple[Kind, ...] = ()
    """The kinds of personal data that the file adds."""
    masks: Masks | None = None
    """How much of a value a report shows: its start, or nothing; None if the file does not say."""

    @property
    def contacts(self) -> tuple[str, ...]:
        """The owner and who approved waivers: people must reach them, so they are not masked."""
        return (self.owner, *(waiver.by for waiver in self.waivers))

    @property
    def is_of_reports_only(self) -> bool:
        """True if it says how reports look and asks nothing: it takes no baseline's place."""
        return self.masks is not None and not (self.rules or self.kinds)

    def has_tag(self, tag: str, target: str, *, is_dataset: bool) -> bool:
        """True if `target` (a table's or a file's name) carries `tag`.

        Where the policy does not say which, a file handed in by itself is an `export` (it left
        the database), and a name that holds the tag's word carries it: TB_PATIENT, patient.
        """
        name = target.casefold()
        if tag in self.tags:
            names = {name, name.rpartition("/")[2], name.rpartition(".")[2]}
            patterns = [pattern.casefold() for pattern in self.tags[tag]]
            return any(fnmatchcase(each, pattern) for each in names for pattern in patterns)
        return (is_dataset and tag == "export") or tag.casefold() in name


def laws_of(policies: Iterable[Policy]) -> tuple[Jurisdiction, ...]:
    """Return the jurisdictions that the policies say; all are candidates where none says one."""
    said = {each for policy in policies for each in policy.jurisdictions}
    return tuple(each for each in JURISDICTIONS if each in said) or JURISDICTIONS


def is_named(target: str, patterns: Iterable[str]) -> bool:
    """True if one of `patterns` fits `target`; `*` stands for anything, without case.

    The folders before a file's name may be left out, and the ending of a data file, too.
    """
    names = {target.casefold(), target.casefold().rpartition("/")[2]}
    # `export.csv.jumin_no` is also called `export.jumin_no`.
    names |= {_DATA_ENDING.sub("", name, count=1) for name in names}
    return any(fnmatchcase(name, pattern.casefold()) for name in names for pattern in patterns)
