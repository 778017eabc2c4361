"""Values that real workers hand over to one another: 80 cases.

`type` is the annotation of the field `value` of a hand-off model, or a whole
model class (then `make` makes an instance of it).
"""

import enum
import functools
import itertools
import math
import re
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address, IPv6Interface, IPv6Network
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Callable, Generic, Iterable, Literal, NamedTuple, Optional, TypeVar, Union
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pydantic.dataclasses
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Field,
    FutureDatetime,
    GetCoreSchemaHandler,
    HttpUrl,
    IPvAnyAddress,
    Json,
    PlainSerializer,
    PostgresDsn,
    PrivateAttr,
    RootModel,
    Secret,
    SecretBytes,
    SecretStr,
    SerializeAsAny,
    StringConstraints,
    ValidationInfo,
    computed_field,
    field_serializer,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema
from typing_extensions import NotRequired, TypedDict


@dataclass(frozen=True)
class Case:
    name: str
    type: Any
    make: Callable[[], Any]
    same: Callable[[Any, Any], bool]
    refusable: bool
    open: bool


# --------------------------------------------------------------------------
# strict, deep comparison
# --------------------------------------------------------------------------

_BY_EQ_MODULES = {"pathlib", "uuid", "ipaddress", "fractions", "re"}
_MISS = object()


def _attrs(x: Any) -> dict:
    out = dict(getattr(x, "__dict__", None) or {})
    for cls in type(x).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        if isinstance(slots, str):
            slots = (slots,)
        for s in slots:
            if s in ("__dict__", "__weakref__"):
                continue
            if s.startswith("__") and not s.endswith("__"):
                s = "_" + cls.__name__.lstrip("_") + s
            v = getattr(x, s, _MISS)
            if v is not _MISS:
                out[s] = v
    return out


def _same_attrs(a: Any, b: Any, seen: dict) -> bool:
    x, y = _attrs(a), _attrs(b)
    if x.keys() != y.keys():
        return False
    for k in x:
        if not _deep(x[k], y[k], seen):
            return False
    return True


def _same_tz(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    if type(a) is not type(b):
        return False
    if isinstance(a, ZoneInfo):
        return a.key == b.key
    return a == b and a.tzname(None) == b.tzname(None)


def _same_sets(a: Any, b: Any, seen: dict) -> bool:
    if len(a) != len(b):
        return False
    rest = list(b)
    for x in a:
        for i, y in enumerate(rest):
            if _deep(x, y, dict(seen)):
                del rest[i]
                break
        else:
            return False
    return True


def _same_numpy(a: Any, b: Any, seen: dict) -> bool:
    import numpy as np

    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.hasobject:
            for x, y in zip(a.ravel().tolist(), b.ravel().tolist()):
                if not _deep(x, y, seen):
                    return False
            return True
        return a.tobytes() == b.tobytes()
    if isinstance(a, np.generic):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return bool(a == b)


def _same_pandas(a: Any, b: Any) -> bool:
    import pandas as pd

    if isinstance(a, pd.DataFrame):
        try:
            pd.testing.assert_frame_equal(
                a, b, check_exact=True, check_freq=True, check_flags=True, check_column_type=True
            )
        except AssertionError:
            return False
        return a.attrs == b.attrs
    if isinstance(a, pd.Series):
        try:
            pd.testing.assert_series_equal(a, b, check_exact=True)
        except AssertionError:
            return False
        return True
    if isinstance(a, pd.Index):
        try:
            pd.testing.assert_index_equal(a, b, exact=True)
        except AssertionError:
            return False
        return True
    if a is pd.NaT or a is pd.NA:
        return a is b
    if isinstance(a, pd.Timestamp):
        return a == b and str(a.tz) == str(b.tz) and a.unit == b.unit and a.fold == b.fold
    return bool(a == b)


def _deep(a: Any, b: Any, seen: dict) -> bool:
    if type(a) is not type(b):
        return False
    if a is b and not isinstance(a, (list, dict)):
        return True
    if a is None or isinstance(a, (type, types.FunctionType, types.BuiltinFunctionType)):
        return a is b
    if isinstance(a, enum.Enum):
        # combined flags are also singletons of their class
        return a is b
    key = (id(a), id(b))
    if key in seen:
        return True
    seen[key] = (a, b)

    root = type(a).__module__.split(".")[0]
    if root == "numpy":
        return _same_numpy(a, b, seen)
    if root == "pandas":
        return _same_pandas(a, b)

    if isinstance(a, float):
        if a != a or b != b:
            ok = a != a and b != b
        else:
            ok = float(a).hex() == float(b).hex()
        return ok and _same_attrs(a, b, seen)
    if isinstance(a, complex):
        return _deep(a.real, b.real, seen) and _deep(a.imag, b.imag, seen)
    if isinstance(a, Decimal):
        return a.as_tuple() == b.as_tuple()
    if isinstance(a, (bool, int)):
        return int(a) == int(b) and _same_attrs(a, b, seen)
    if isinstance(a, str):
        return str.__eq__(a, b) is True and _same_attrs(a, b, seen)
    if isinstance(a, (bytes, bytearray)):
        return bytes(a) == bytes(b) and _same_attrs(a, b, seen)

    if isinstance(a, datetime):
        return (
            a.replace(tzinfo=None) == b.replace(tzinfo=None)
            and a.fold == b.fold
            and _same_tz(a.tzinfo, b.tzinfo)
        )
    if isinstance(a, time):
        return (
            a.replace(tzinfo=None) == b.replace(tzinfo=None)
            and a.fold == b.fold
            and _same_tz(a.tzinfo, b.tzinfo)
        )
    if isinstance(a, (date, timedelta)):
        return a == b
    if isinstance(a, tzinfo):
        return _same_tz(a, b)
    if isinstance(a, re.Pattern):
        return _deep(a.pattern, b.pattern, seen) and a.flags == b.flags
    if isinstance(a, (range, slice)):
        return (
            _deep(a.start, b.start, seen)
            and _deep(a.stop, b.stop, seen)
            and _deep(a.step, b.step, seen)
        )

    if isinstance(a, Secret) or isinstance(a, (SecretStr, SecretBytes)):
        return _deep(a.get_secret_value(), b.get_secret_value(), seen)
    if hasattr(a, "unicode_string"):  # pydantic's urls
        return a.unicode_string() == b.unicode_string()
    if isinstance(a, BaseModel):
        if a.__dict__.keys() != b.__dict__.keys():
            return False
        for k in a.__dict__:
            if not _deep(a.__dict__[k], b.__dict__[k], seen):
                return False
        return _deep(a.__pydantic_extra__, b.__pydantic_extra__, seen) and _deep(
            a.__pydantic_private__, b.__pydantic_private__, seen
        )

    if isinstance(a, functools.partial):
        return (
            a.func is b.func
            and _deep(a.args, b.args, seen)
            and _deep(a.keywords, b.keywords, seen)
            and _same_attrs(a, b, seen)
        )
    if isinstance(a, BaseException):
        return _deep(a.args, b.args, seen) and _same_attrs(a, b, seen)

    if isinstance(a, dict):
        if len(a) != len(b):
            return False
        if isinstance(a, defaultdict) and a.default_factory is not b.default_factory:
            return False
        for (k1, v1), (k2, v2) in zip(a.items(), b.items()):
            if not _deep(k1, k2, seen) or not _deep(v1, v2, seen):
                return False
        return _same_attrs(a, b, seen)
    if isinstance(a, (list, tuple, deque)):
        if len(a) != len(b):
            return False
        if isinstance(a, deque) and a.maxlen != b.maxlen:
            return False
        for x, y in zip(a, b):
            if not _deep(x, y, seen):
                return False
        return _same_attrs(a, b, seen)
    if isinstance(a, (set, frozenset)):
        return _same_sets(a, b, seen) and _same_attrs(a, b, seen)
    if isinstance(a, types.MappingProxyType):
        return _deep(dict(a), dict(b), seen)

    if type(a).__module__.split(".")[0] in _BY_EQ_MODULES:
        return a == b
    x, y = _attrs(a), _attrs(b)
    if x or y:
        return _same_attrs(a, b, seen)
    if type(a).__eq__ is not object.__eq__:
        return bool(a == b)
    # no visible content at all: only a bare instance of a user's class can be equal
    return type(a) is not object and type(a).__module__ != "builtins"


def same(before: Any, after: Any) -> bool:
    return _deep(before, after, {})


def same_with_fields_set(before: Any, after: Any) -> bool:
    return same(before, after) and before.model_fields_set == after.model_fields_set


def same_identity(before: Any, after: Any) -> bool:
    return before is after


# --------------------------------------------------------------------------
# models and classes of strangers
# --------------------------------------------------------------------------

BERLIN = ZoneInfo("Europe/Berlin")
T = TypeVar("T")


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class Code(enum.Enum):
    NUM = 1
    TXT = "1"
    NONE = None


class Corner(enum.Enum):
    NW = (0, 0)
    SE = (1, 1)


class Cat(BaseModel):
    name: str
    lives: int = 9


class Lynx(BaseModel):
    name: str
    lives: int = 9


class Card(BaseModel):
    kind: Literal["card"] = "card"
    last4: str
    at: datetime


class Bank(BaseModel):
    kind: Literal["bank"] = "bank"
    iban: str
    inner: "list[Pay]" = []


Pay = Annotated[Union[Card, Bank], Field(discriminator="kind")]
Bank.model_rebuild()


class Coord(BaseModel):
    model_config = ConfigDict(frozen=True)
    x: int
    y: float


class Blob(BaseModel):
    model_config = ConfigDict(ser_json_bytes="base64")
    data: bytes
    parts: list[bytes]


class Login(BaseModel):
    user: str
    keys: dict[str, SecretBytes]
    pin: SecretStr | None = None


class Plugin:
    pass


class LoudPlugin(Plugin):
    pass


class Plain:
    """A class pydantic knows nothing about."""

    def __init__(self, a: int, b: list) -> None:
        self.a = a
        self.b = b


class Arbitrary(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    plain: Plain
    frac: Fraction
    zone: tzinfo


class LockHolder(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    name: str
    guard: Any


class StrictOrder(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    id: UUID
    day: date
    took: timedelta
    lines: tuple[tuple[str, int], ...]
    net: Decimal
    levels: frozenset[Level]


class TwoNames(BaseModel):
    first: str = Field(validation_alias="firstName", serialization_alias="given_name")
    born: date = Field(validation_alias="dob", serialization_alias="birth")


class PathNames(BaseModel):
    city: str = Field(validation_alias=AliasPath("addr", "lines", 1))
    zip: str = Field(validation_alias=AliasChoices("plz", AliasPath("addr", "zip")))


class CamelForbid(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")
    order_id: int
    line_items: list[tuple[str, int]]


class Boxed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    w: float
    h: float

    @computed_field
    @property
    def area(self) -> float:
        return self.w * self.h


class Excluding(BaseModel):
    title: str
    draft: str | None = Field(default=None, exclude=True)


class ExcludingRequired(BaseModel):
    title: str
    raw: bytes = Field(exclude=True)


class Private(BaseModel):
    name: str
    _tenant: str = PrivateAttr(default="none")
    _seen: set[int] = PrivateAttr(default_factory=set)


class Envelope(BaseModel, Generic[T]):
    head: str
    body: T


BM = TypeVar("BM", bound=BaseModel)


class Wrapper(BaseModel, Generic[BM]):
    inner: BM
    more: list[BM] = []


class Rows(RootModel[list[tuple[int, date]]]):
    pass


class Lookup(RootModel[dict[UUID, Coord]]):
    pass


class Holder(BaseModel):
    lookup: Lookup
    rows: Rows | None = None


class Trip(TypedDict, total=False):
    start: date
    stops: tuple[Coord, ...]
    note: NotRequired[str | None]


class Fix(NamedTuple):
    lat: float
    lon: float
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Money:
    amount: Decimal
    currency: str = "EUR"


@pydantic.dataclasses.dataclass
class Quote:
    customer: str
    total: Money
    discount: InitVar[float] = 0.0
    factor: float = field(init=False, default=1.0)

    def __post_init__(self, discount: float) -> None:
        self.factor = 1.0 - discount


def _split(v: Any) -> Any:
    return v.split(",") if isinstance(v, str) else v


def _double(v: int) -> int:
    return v * 2


class Doubled(BaseModel):
    """Takes one, holds two."""

    n: Annotated[int, AfterValidator(_double)]
    price: int

    @field_validator("price")
    @classmethod
    def _cents(cls, v: int) -> int:
        return v * 100


class Parsed(BaseModel):
    rows: Json[list[int]]
    free: Json[Any]


class Encoded(BaseModel):
    data: Base64Bytes


class Tree(BaseModel):
    name: str
    kids: "list[Tree]" = []
    best: "Optional[Tree]" = None


class Ring(BaseModel):
    name: str
    peer: "Optional[Ring]" = None


class Shape(BaseModel):
    name: str


class Circle(Shape):
    radius: float
    centre: Coord


class Drawing(BaseModel):
    main: Shape
    others: list[Shape]
    by_key: dict[str, SerializeAsAny[Shape]] = {}


_SEQ = itertools.count()


class Numbered(BaseModel):
    title: str
    ticket: int = Field(default_factory=lambda: next(_SEQ))
    key: UUID = Field(default_factory=uuid4)


class Patch(BaseModel):
    """None means: empty it. Not set means: leave it."""

    name: str | None = None
    phone: str | None = None
    tags: list[str] = Field(default_factory=list)


class FullName(BaseModel):
    first: str
    last: str

    @model_validator(mode="before")
    @classmethod
    def _from_full(cls, v: Any) -> Any:
        if not isinstance(v, dict) or "full" not in v:
            raise ValueError("wants full")
        first, last = v["full"].split(" ", 1)
        return {"first": first, "last": last}


class Counting(BaseModel):
    n: int
    log: list[str] = []

    @model_validator(mode="after")
    def _bump(self) -> "Counting":
        self.n += 1
        return self

    def model_post_init(self, _ctx: Any) -> None:
        self.log = [*self.log, "made"]


class OpenModel(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Colour:
    """A stranger's type with its own core schema."""

    def __init__(self, r: int, g: int, b: int) -> None:
        self.rgb = (r, g, b)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> Any:
        def parse(v: Any) -> "Colour":
            if isinstance(v, cls):
                return v
            if isinstance(v, str) and re.fullmatch(r"#[0-9a-f]{6}", v):
                return cls(int(v[1:3], 16), int(v[3:5], 16), int(v[5:7], 16))
            raise ValueError("no colour")

        return core_schema.no_info_plain_validator_function(
            parse,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda c: "#%02x%02x%02x" % c.rgb
            ),
        )


class GermanDay(BaseModel):
    day: date

    @field_serializer("day")
    def _ser(self, v: date) -> str:
        return v.strftime("%d.%m.%Y")


class Masked(BaseModel):
    holder: str
    number: str

    @field_serializer("number")
    def _mask(self, v: str) -> str:
        return "*" * (len(v) - 4) + v[-4:]


class EnumValues(BaseModel):
    model_config = ConfigDict(use_enum_values=True)
    corner: Corner
    level: Level
    code: Code = Code.NUM


class Offer(BaseModel):
    text: str
    ends: FutureDatetime


class Tenanted(BaseModel):
    id: int
    tenant: str = ""

    @field_validator("id")
    @classmethod
    def _known(cls, v: int, info: ValidationInfo) -> int:
        if not info.context or v not in info.context["ids"]:
            raise ValueError("id not known to this tenant")
        return v


class Stream(BaseModel):
    name: str
    items: Iterable[int]


class Stock(BaseModel):
    sku: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}-\d+$")]
    qty: int = Field(ge=0, le=100)
    share: float = Field(gt=0, multiple_of=0.25)


class Trimmed(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_to_lower=True, validate_assignment=False)
    text: str
    tags: tuple[str, ...] = ()


class Odd(BaseModel):
    """Names that a platform may want for itself."""

    type: str
    value: Any
    name: str = Field(alias="__class__")
    kind_: int = Field(alias="$ref")


class Floaty(BaseModel):
    low: float
    high: float | None
    grid: list[list[float]]


class Slow(BaseModel):
    took: timedelta
    at: AwareDatetime
    wall: time


# --------------------------------------------------------------------------
# makers
# --------------------------------------------------------------------------

CASES: list[Case] = []


def _add(
    name: str,
    type_: Any,
    make: Callable[[], Any],
    same_: Callable[[Any, Any], bool] = same,
    refusable: bool = False,
) -> None:
    CASES.append(Case(name, type_, make, same_, refusable, len(CASES) % 2 == 0))


def _mk_private() -> Private:
    p = Private(name="n")
    p._tenant = "acme"
    p._seen.update({1, 2})
    return p


def _mk_lambda() -> Callable[[int], int]:
    step = 4
    return lambda x: x * step


def _same_lambda(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and [a(i) for i in range(4)] == [b(i) for i in range(4)]
    except TypeError:
        return False


def _mk_ring() -> Ring:
    a = Ring(name="a")
    b = Ring(name="b", peer=a)
    a.peer = b
    return a


def _same_ring(a: Any, b: Any) -> bool:
    return same(a, b) and b.peer.peer is b


def _mk_numbered() -> Numbered:
    return Numbered.model_construct(
        _fields_set={"title"}, title="t", ticket=-77, key=UUID(int=77)
    )


def _mk_patch() -> dict[str, Patch]:
    return {"clear": Patch(phone=None), "leave": Patch(), "same": Patch(name=None, tags=[])}


def _same_patch(a: Any, b: Any) -> bool:
    return same(a, b) and all(a[k].model_fields_set == b[k].model_fields_set for k in a)


def _mk_offer() -> Offer:
    # was in the future when it was made; the hand-off waited for a person
    return Offer.model_construct(text="o", ends=datetime(2023, 5, 1, 12, tzinfo=timezone.utc))


def _mk_tenanted() -> Tenanted:
    return Tenanted.model_validate({"id": 7, "tenant": "t"}, context={"ids": {7}})


def _mk_stock_unvalidated() -> Stock:
    s = Stock(sku="AB-1", qty=5, share=0.5)
    s.qty = 250  # pydantic does not look at assignments
    s.sku = "later"
    return s


def _mk_trimmed() -> Trimmed:
    t = Trimmed(text="x", tags=("A",))
    t.text = "  Keep THIS \n"
    return t


def _mk_drawing() -> Drawing:
    c = Circle(name="c", radius=1.5, centre=Coord(x=1, y=-0.0))
    return Drawing(main=c, others=[Shape(name="s"), c], by_key={"c": c})


def _mk_numpy() -> Any:
    import numpy as np

    return {
        "emb": np.array([[1.5, float("nan")], [-0.0, 2.0]], dtype=np.float32),
        "s": np.float64(0.5),
        "i": [np.int64(3)],
    }


def _mk_pandas() -> Any:
    import pandas as pd

    return pd.DataFrame(
        {
            "n": pd.array([1, None], dtype="Int64"),
            "t": pd.to_datetime(["2024-01-01", None]).tz_localize("Europe/Berlin"),
            "c": pd.Categorical(["a", "b"], categories=["b", "a"]),
        },
        index=pd.Index(["x", "y"], name="k"),
    )


def _mk_defaultdict() -> defaultdict:
    d: defaultdict = defaultdict(list)
    d["b"].append(1)
    d["a"]
    return d


def _mk_ordered() -> OrderedDict:
    d = OrderedDict(b=1, a=2, c=3)
    d.move_to_end("b")
    return d


# --------------------------------------------------------------------------
# the cases
# --------------------------------------------------------------------------

_add("datetime_zone_fold", datetime, lambda: datetime(2024, 10, 27, 2, 30, 0, 5, tzinfo=BERLIN, fold=1))
_add("date_or_str_str", list[date | datetime | str], lambda: ["2024-02-29", date(2024, 2, 29), datetime(2024, 2, 29)])
_add("uuid_or_str", dict[str, UUID | str], lambda: {"u": UUID(int=7), "s": str(UUID(int=7))})
_add("model_of_floats_nan", Floaty, lambda: Floaty(low=float("-inf"), high=float("nan"), grid=[[1e16, -0.0]]))
_add("int_300_bits", int, lambda: -(2**300) + 1)
_add("int_past_str_limit", Any, lambda: [10**5000 + 1, 2**64])
_add("decimal_specials", dict[str, Annotated[Decimal, Field(allow_inf_nan=True)]], lambda: {"n": Decimal("NaN"), "p": Decimal("1.10"), "k": Decimal("1E+3"), "z": Decimal("-0.00"), "l": Decimal("0." + "1" * 40), "i": Decimal("-Infinity")})
_add("number_union", list[Decimal | float | int | bool], lambda: [Decimal("1"), 1.0, 1, True, Decimal("0.5"), 0.5])
_add("union_left_to_right", Annotated[Union[str, datetime, tuple[int, int]], Field(union_mode="left_to_right")], lambda: datetime(2024, 1, 1, 8, 30))
_add("union_same_shape_models", list[Cat | Lynx], lambda: [Lynx(name="l", lives=1), Cat(name="c")])
_add("discriminated_nested", Bank, lambda: Bank(iban="DE0", inner=[Card(last4="0042", at=datetime(2024, 1, 1, tzinfo=BERLIN)), Bank(iban="x")]))
_add("literal_mixed", list[Literal[1, "1", None, Level.TWO, b"1"]], lambda: [Level.TWO, "1", 1, None, b"1"])
_add("enum_mixed_values", list[Code | Level], lambda: [Code.TXT, Code.NUM, Level.ONE, Code.NONE])
_add("enum_tuple_value", dict[str, Corner], lambda: {"c": Corner.SE})
_add("tuple_shapes", tuple[int, str, tuple[float, ...], tuple[()]], lambda: (1, "a", (1.0, 2.5), ()))
_add("set_of_tuples", set[tuple[int, frozenset[str]]], lambda: {(1, frozenset({"a"})), (2, frozenset())})
_add("dict_typed_keys", dict[date | Level | None | bytes | tuple[int, str], str], lambda: {(2, "b,c"): "t", date(2024, 1, 2): "d", Level.TWO: "e", None: "n", b"\xff": "b"})
_add("dict_int_or_str_keys", dict[int | str | float, Any], lambda: {1: "i", "1": "s", 2.5: (1,), "2.5": None})
_add("deque_maxlen", deque[int], lambda: deque([1, 2, 3], maxlen=3))
_add("dict_kinds", tuple[OrderedDict[str, int], Counter[str], defaultdict[str, list[int]]], lambda: (_mk_ordered(), Counter({"a": 2, "b": -1}), _mk_defaultdict()))
_add("abstract_containers", tuple[Sequence[int], Mapping[str, Any], Sequence[Any]], lambda: ((1, 2), {"b": (1,), "a": 2}, [1, (2,)]))
_add("bytes_not_utf8", bytes | None, lambda: b"\xff\xfe\x00\x80")
_add("bytes_base64_config", Blob, lambda: Blob(data=b"abc", parts=[b"\x00\xff", b""]))
_add("secret_str", SecretStr, lambda: SecretStr("pä$$ **********"))
_add("secrets_nested", Login, lambda: Login(user="u", keys={"k": SecretBytes(b"\x00\xff")}, pin=SecretStr("")))
_add("secret_generic", Secret[date], lambda: Secret[date](date(2001, 2, 3)))
_add("str_surrogate_any", Any, lambda: {"s": "caf\udce9", "k\x00": "\u2028\ufeff"})
_add("paths", list[Path | PureWindowsPath], lambda: [Path("a/../b"), PureWindowsPath("C:\\x\\y"), Path("/ü x")])
_add("urls", tuple[HttpUrl, AnyUrl, PostgresDsn], lambda: (HttpUrl("https://müller.de:8443/a b?q=1#f"), AnyUrl("mailto:x@y.z"), PostgresDsn("postgres://u:p%40@h1:5432,h2:5433/db")))
_add("ip_types", tuple[IPvAnyAddress, IPv6Address, IPv6Network, IPv6Interface], lambda: (IPv4Address("10.0.0.1"), IPv6Address("fe80::1%eth0"), IPv6Network("fe80::/64"), IPv6Interface("fe80::1/64")))
_add("patterns", dict[str, re.Pattern], lambda: {"s": re.compile(r"(?P<x>\d+)", re.I | re.M), "b": re.compile(rb"\xff+", re.S)})
_add("type_of_base", type[Plugin], lambda: LoudPlugin)
_add("callable_function", Callable[[float], float], lambda: math.sqrt)
_add("callable_lambda", Callable, _mk_lambda, _same_lambda, refusable=True)
_add("arbitrary_types", Arbitrary, lambda: Arbitrary(plain=Plain(1, [(2,)]), frac=Fraction(22, -7), zone=BERLIN))
_add("arbitrary_lock", LockHolder, lambda: LockHolder(name="n", guard=threading.Lock()), lambda a, b: a is b, refusable=True)
_add("any_python_things", Any, lambda: {"t": (1, [2, (3,)]), "s": {1, "1"}, "d": datetime(2024, 1, 1), "dec": Decimal("1.0"), "b": b"\xff", 3: None})
_add("any_models_inside", Any, lambda: [Coord(x=1, y=2.0), Money(Decimal("1.10")), {"c": Cat(name="c")}, Level.ONE, Fix(1.0, 2.0)])
_add("any_numpy", Any, _mk_numpy)
_add("any_pandas", Any, _mk_pandas)
_add("strict_model", StrictOrder, lambda: StrictOrder(id=UUID(int=3), day=date(2024, 1, 31), took=timedelta(seconds=1.5), lines=(("a", 1),), net=Decimal("10.00"), levels=frozenset({Level.TWO})))
_add("alias_two_names", list[TwoNames], lambda: [TwoNames(firstName="A", dob=date(2000, 1, 1))])
_add("alias_paths", PathNames, lambda: PathNames.model_validate({"addr": {"lines": ["x", "Ulm"], "zip": "89073"}}))
_add("alias_camel_forbid", CamelForbid, lambda: CamelForbid(orderId=1, lineItems=[("a", 2)]))
_add("computed_forbid", Boxed, lambda: Boxed(w=1.5, h=2.0))
_add("excluded_field", Excluding, lambda: Excluding(title="t", draft="not yet"), refusable=True)
_add("excluded_required", ExcludingRequired, lambda: ExcludingRequired(title="t", raw=b"\xff"), refusable=True)
_add("private_attributes", Private, _mk_private, refusable=True)
_add("generic_model", Envelope[dict[int, Coord]], lambda: Envelope[dict[int, Coord]](head="h", body={2: Coord(x=1, y=1.5)}))
_add("generic_unbound", Wrapper, lambda: Wrapper(inner=Coord(x=1, y=2.0), more=[Cat(name="c")]))
_add("root_models", Holder, lambda: Holder(lookup=Lookup({UUID(int=1): Coord(x=0, y=0.5)}), rows=Rows([(1, date(2024, 1, 1))])))
_add("typed_dict", Trip, lambda: {"stops": (Coord(x=1, y=2.0),), "note": None})
_add("named_tuple", list[Fix], lambda: [Fix(1.5, -0.0, datetime(2024, 1, 1, tzinfo=timezone.utc)), Fix(0.0, 1.0)])
_add("pydantic_dataclass_init", Quote, lambda: Quote(customer="c", total=Money(Decimal("2.0")), discount=0.25))
_add("before_validator", Annotated[list[str], BeforeValidator(_split), PlainSerializer(lambda v: ",".join(v), return_type=str)], lambda: ["a", "b,c", ""])
_add("validator_not_idempotent", Doubled, lambda: Doubled(n=5, price=3))
_add("json_field", Parsed, lambda: Parsed(rows="[1, 2]", free='{"a": "[3]"}'))
_add("byte_size", dict[str, ByteSize], lambda: {"s": ByteSize(1_234_567_890_123)})
_add("base64_bytes", Encoded, lambda: Encoded(data=b"AP9hYmM="))
_add("recursive_tree", Tree, lambda: Tree(name="r", kids=[Tree(name="a", kids=[Tree(name="b")])], best=Tree(name="x")))
_add("recursive_ring", Ring, _mk_ring, _same_ring, refusable=True)
_add("subclass_in_base", Shape, lambda: Circle(name="c", radius=2.5, centre=Coord(x=0, y=1.0)))
_add("subclass_in_fields", Drawing, _mk_drawing)
_add("default_factory_unset", Numbered, _mk_numbered, lambda a, b: same(a, b) and a.model_fields_set == b.model_fields_set)
_add("fields_set_none", dict[str, Patch], _mk_patch, _same_patch)
_add("model_validator_before", FullName, lambda: FullName.model_validate({"full": "Ada King Lovelace"}))
_add("model_validator_after", Counting, lambda: Counting(n=1, log=["x"]))
_add("extra_allow_any", OpenModel, lambda: OpenModel(name="n", when=datetime(2024, 1, 1, tzinfo=BERLIN), pos=(1, 2), c=Coord(x=1, y=1.0)))
_add("custom_core_schema", list[Colour], lambda: [Colour(255, 0, 16)])
_add("serializer_not_parsable", GermanDay, lambda: GermanDay(day=date(2024, 3, 4)))
_add("serializer_masks", Masked, lambda: Masked(holder="h", number="4111111111111111"), refusable=True)
_add("use_enum_values", EnumValues, lambda: EnumValues(corner=Corner.SE, level=Level.TWO))
_add("future_datetime_passed", Offer, _mk_offer)
_add("validator_needs_context", Tenanted, _mk_tenanted, refusable=True)
_add("iterable_lazy", Stream, lambda: Stream(name="s", items=(i for i in range(3))), lambda a, b: a is b, refusable=True)
_add("constrained", Stock, lambda: Stock(sku="AB-1", qty=0, share=0.75))
_add("assigned_unvalidated", Stock, _mk_stock_unvalidated, refusable=True)
_add("config_strips", Trimmed, _mk_trimmed)
_add("odd_names", Odd, lambda: Odd.model_validate({"type": "t", "value": {"__type__": "x", "$ref": "#"}, "__class__": "c", "$ref": 3}))
_add("times_in_model", Slow, lambda: Slow(took=timedelta(microseconds=-1), at=datetime(2024, 7, 1, tzinfo=BERLIN), wall=time(2, 30, 0, 999999, tzinfo=timezone(timedelta(hours=-3)), fold=1)))

assert len(CASES) == 80 and len({c.name for c in CASES}) == 80
assert sum(c.open for c in CASES) == 40
