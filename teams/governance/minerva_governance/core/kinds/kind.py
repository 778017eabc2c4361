"""One kind of personal data: what it is, how columns call it, and how its values look.

The tables of `tables/*.toml` hold the bundled kinds; `kind_file` reads those that people add.
"""

from typing import Final, Literal, get_args

from pydantic import BaseModel, Field

Category = Literal[
    "unique_identifier",
    "name",
    "contact",
    "financial",
    "online",
    "location",
    "health",
    "special",
    "quasi_identifier",
    "internal_id",
    "credential",
]
"""What a kind is to the law and to a rule.

`special` is GDPR Article 9 and 10 without health; `internal_id` is a key that leads to a person
and tells nothing alone.
"""
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

Tail = Literal["flag", "code", "date", "key", "content", "about"]
"""What the words after a name make of it: PHONE_YN is a flag, no phone."""


class Kind(BaseModel, frozen=True, extra="forbid"):
    """A kind of personal data. Its texts are plain, its expressions those of RE2."""

    id: str = Field(pattern=r"^[A-Z][A-Z0-9_]{1,39}$")
    """Presidio's name where it has one."""
    category: Category
    country: str = ""
    """ISO 3166-1 alpha-2; empty where the kind is of no country."""
    ko: str
    en: str
    names: tuple[str, ...] = ()
    """Words of column names, in capitals and glued: PT_HP_NO holds HPNO."""
    comments: tuple[str, ...] = ()
    """Expressions for comments, case ignored."""
    notice: tuple[str, ...] = ()
    """Expressions for what a privacy notice calls it; without them, those for comments."""
    form: str = ""
    """What is believed anywhere if the check agrees: an RE2 expression without its ends."""
    weak: str = ""
    """A form that other values have as well: believed where such values fill a column."""
    told: str = ""
    """A form that is believed beside a word of `context`; empty where `weak` or `form` serves."""
    named: str = ""
    """A form that fills the cell of a column named so; empty where `told` serves."""
    plain: str = ""
    """The letters and digits of a value in a column named so, whatever stands between them."""
    joined: str = ""
    """The same of any column, if the check alone decides; `value` names it among other letters."""
    sibling: str = ""
    """The kind whose values stand in columns of this name, too."""
    sure: str = ""
    """Cells that are of this kind and no other: SQL counts them without a look."""
    sure_named: str = ""
    """Further ones in a column named so."""
    check: str = ""
    """The exact check of `values.value_check`; empty where the form is all there is."""
    context: str = ""
    """An expression for the words that make a value of the form `told` believed in a text."""
    reach: int = 40
    """How many characters may lie between such a word and the value; half as many behind it."""
    keep: int = 0
    """How many of the first digits or letters a mask shows; `strict` shows none."""
    mask: Literal["characters", "email", "parts", "all"] = "characters"
    needs: str = ""
    """The extra whose library does the check; without it values are known by form only."""
    also: frozenset[Tail] = frozenset()
    """Tails that do not refute the name: SEX_CD is a sex."""
    not_after: tuple[str, ...] = ()
    """Words of which none may stand before the name: IP in IP_ADDR."""
    not_before: tuple[str, ...] = ()
    """Words of which none may stand after the name: WEIGHT in BIRTH_WEIGHT."""

    @property
    def told_form(self) -> str:
        """What is believed beside a word of `context`."""
        return self.told or self.weak or self.form

    @property
    def named_form(self) -> str:
        """What is believed in a column named so; empty for a kind that only names tell."""
        return self.named or self.told_form

    @property
    def is_personal(self) -> bool:
        """False for keys, which `pii: any` does not mean."""
        return self.category != "internal_id"
