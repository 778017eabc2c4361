"""Values that real workers put into the channels of their state: 80 cases."""

import array
import enum
import functools
import operator
import os
import re
import sqlite3
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import InitVar, dataclass, field
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Interface
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import (
    Annotated,
    Any,
    Callable,
    Generic,
    Iterator,
    Literal,
    NamedTuple,
    Optional,
    TypeVar,
    Union,
)
from uuid import UUID
from zoneinfo import ZoneInfo

from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph.message import add_messages
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    RootModel,
    SecretBytes,
    SecretStr,
    field_validator,
    model_validator,
)
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
    if isinstance(a, memoryview):
        return a.format == b.format and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, array.array):
        return a.typecode == b.typecode and a.tobytes() == b.tobytes()

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

    if isinstance(a, (SecretStr, SecretBytes)):
        return _deep(a.get_secret_value(), b.get_secret_value(), seen)
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
# classes of strangers
# --------------------------------------------------------------------------


class MyStr(str):
    """A customer number, kept as a str."""


class Cents(int):
    def __new__(cls, v: int, currency: str = "EUR") -> "Cents":
        self = super().__new__(cls, v)
        self.currency = currency
        return self


class Celsius(float):
    __slots__ = ()


class Bag(dict):
    """dict with a note beside its items"""

    note: str = ""

    def __getattr__(self, item: str) -> Any:
        try:
            return self[item]
        except KeyError:
            raise AttributeError(item) from None


class Hits(list):
    def __init__(self, items: Any = (), *, total: int = 0) -> None:
        super().__init__(items)
        self.total = total


class Pair(tuple):
    def __new__(cls, left: Any, right: Any) -> "Pair":
        return super().__new__(cls, (left, right))

    def __getnewargs__(self) -> tuple:
        return tuple(self)

    @property
    def left(self) -> Any:
        return self[0]


class Severity(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Channel(str, enum.Enum):
    MAIL = "mail"
    PHONE = "phone"


class Tone(enum.StrEnum):
    CALM = enum.auto()
    LOUD = enum.auto()


class Priority(enum.IntEnum):
    P0 = 0
    P1 = 1


class Permission(enum.IntFlag):
    READ = 1
    WRITE = 2
    SHARE = 4


class Feature(enum.Flag):
    A = enum.auto()
    B = enum.auto()


class Planet(enum.Enum):
    EARTH = (5.976e24, 6.37814e6)
    MARS = (6.421e23, 3.3972e6)

    def __init__(self, mass: float, radius: float) -> None:
        self.mass = mass
        self.radius = radius


class Order:
    class Status(enum.Enum):
        NEW = 1
        SHIPPED = 2

    class Line(NamedTuple):
        sku: str
        qty: int = 1
        price: Decimal = Decimal("0.00")


@dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: str = "EUR"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int
    label: str | None = None


@dataclass(kw_only=True)
class Quote:
    customer: str
    total: Money
    discount: InitVar[float | None] = None
    factor: float = field(init=False, default=1.0)

    def __post_init__(self, discount: float | None) -> None:
        if discount is not None:
            self.factor = 1.0 - discount


@dataclass
class Ticket:
    title: str
    opened: datetime
    number: int = field(init=False)
    history: list[str] = field(default_factory=list, repr=False)
    cache: dict = field(init=False, default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.number = 0
        self.history.append("created")


@dataclass
class Move:
    to: tuple[int, int]


@dataclass
class Wait:
    to: timedelta


T = TypeVar("T")


@dataclass
class Box(Generic[T]):
    item: T
    tags: frozenset[str] = frozenset()


@dataclass(order=True)
class Node:
    name: str
    children: list["Node"] = field(default_factory=list)
    parent: Optional["Node"] = field(default=None, compare=False, repr=False)


class StrictInvoice(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    id: UUID
    day: date
    lines: tuple[tuple[str, int], ...]
    net: Decimal
    channels: set[Channel]


class AliasedAddress(BaseModel):
    street: str = Field(alias="streetName")
    zip_code: str = Field(validation_alias="PLZ", serialization_alias="postalCode")
    country: str = Field(default="DE", validation_alias="cc")


class Session(BaseModel):
    user: str
    _token: str = PrivateAttr(default="none")
    _calls: list[int] = PrivateAttr(default_factory=list)


class Page(BaseModel, Generic[T]):
    items: list[T]
    next: int | None = None


class CardPayment(BaseModel):
    kind: Literal["card"] = "card"
    last4: str
    when: datetime


class BankPayment(BaseModel):
    kind: Literal["bank"] = "bank"
    iban: str
    parts: tuple[int, ...] = ()


Payment = Annotated[Union[CardPayment, BankPayment], Field(discriminator="kind")]


class Tags(RootModel[dict[int, set[str]]]):
    pass


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Credentials(BaseModel):
    login: str
    password: SecretStr
    key: SecretBytes


class Animal(BaseModel):
    name: str


class Dog(Animal):
    breed: str
    born: date


class Priced(BaseModel):
    """Takes euros, holds cents."""

    cents: int
    note: str = ""

    @field_validator("cents")
    @classmethod
    def _to_cents(cls, v: int) -> int:
        return v * 100

    @model_validator(mode="after")
    def _mark(self) -> "Priced":
        self.note = self.note + "!"
        return self


class Profile(BaseModel):
    name: str
    nick: str | None = None
    age: int = 18
    langs: list[str] = Field(default_factory=lambda: ["en"])


class Customer(TypedDict):
    id: int
    name: str
    since: NotRequired[date]
    lines: list[Order.Line]


class AttrsLike:
    """What attrs would make of three fields, by hand."""

    __slots__ = ("a", "_b", "c", "__weakref__")

    def __init__(self, a: int, b: str, *, c: Any = None) -> None:
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "_b", b)
        object.__setattr__(self, "c", c)

    def __setattr__(self, k: str, v: Any) -> None:
        raise AttributeError("frozen")

    def __eq__(self, o: object) -> bool:
        return type(o) is type(self) and (self.a, self._b, self.c) == (o.a, o._b, o.c)

    def __hash__(self) -> int:
        return hash((self.a, self._b))

    def __getstate__(self) -> tuple:
        return (self.a, self._b, self.c)

    def __setstate__(self, st: tuple) -> None:
        for k, v in zip(("a", "_b", "c"), st):
            object.__setattr__(self, k, v)


class Account:
    """A plain class whose __init__ wants its arguments."""

    def __init__(self, owner: str, opening: Decimal, *, at: datetime) -> None:
        self.owner = owner
        self.__balance = opening
        self.entries: list[tuple[datetime, Decimal]] = [(at, opening)]

    def book(self, at: datetime, amount: Decimal) -> None:
        self.__balance += amount
        self.entries.append((at, amount))


class Meter:
    """Holds a lock for itself, and says how to be kept without it."""

    def __init__(self, start: int = 0) -> None:
        self.value = start
        self._lock = threading.Lock()

    def __getstate__(self) -> dict:
        return {"value": self.value}

    def __setstate__(self, st: dict) -> None:
        self.value = st["value"]
        self._lock = threading.Lock()


class ApiError(Exception):
    def __init__(self, status: int, body: dict) -> None:
        super().__init__(f"api said {status}")
        self.status = status
        self.body = body


class PlainError(ValueError):
    pass


class Handler:
    def handle(self, x: int) -> int:
        return x + 1


class LoudHandler(Handler):
    def handle(self, x: int) -> int:
        return x + 100


UNSET = object()


def score(x: float, *, weight: float = 1.0) -> float:
    return x * weight


def _merge(left: dict, right: dict) -> dict:
    return {**left, **right}


def _local_types() -> tuple[type, type, type]:
    @dataclass
    class LocalRow:
        key: str
        value: Decimal

    class LocalModel(BaseModel):
        when: datetime
        size: tuple[int, int]

    class LocalMode(enum.Enum):
        FAST = "fast"
        SLOW = "slow"

    return LocalRow, LocalModel, LocalMode


LOCAL_ROW, LOCAL_MODEL, LOCAL_MODE = _local_types()

BERLIN = ZoneInfo("Europe/Berlin")

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


def _mk_ordered() -> OrderedDict:
    d = OrderedDict(b=1, a=2, c=3)
    d.move_to_end("b")
    return d


def _mk_defaultdict() -> defaultdict:
    d: defaultdict = defaultdict(list)
    d["x"].append((1, 2))
    d["empty"]
    return d


def _mk_bag() -> Bag:
    b = Bag(x=1, y=[2.0])
    b.note = "from the mail"
    return b


def _mk_quote() -> Quote:
    return Quote(customer="ACME", total=Money(Decimal("10.50"), "CHF"), discount=0.25)


def _mk_ticket() -> Ticket:
    t = Ticket("printer", datetime(2024, 5, 1, 9, 30, 0, 1))
    t.number = 4711
    t.history.append("assigned")
    t.cache[("k", 1)] = {1, 2}
    return t


def _mk_dc_extra() -> Box:
    m = Box(Money(Decimal("3.10")), frozenset({"vip"}))
    m.reviewed_by = "anna"  # not a field
    return m


def _mk_session() -> Session:
    s = Session(user="u1")
    s._token = "t-123"
    s._calls.extend([1, 2, 3])
    return s


def _mk_account() -> Account:
    a = Account("eve", Decimal("100.00"), at=datetime(2024, 1, 1, tzinfo=timezone.utc))
    a.book(datetime(2024, 1, 2, tzinfo=BERLIN), Decimal("-0.10"))
    return a


def _mk_meter() -> Meter:
    m = Meter(5)
    m.value += 2
    return m


def _same_meter(a: Any, b: Any) -> bool:
    return (
        type(a) is type(b)
        and same(a.value, b.value)
        and type(getattr(b, "_lock", None)) is type(a._lock)
        and set(vars(a)) == set(vars(b))
    )


def _mk_chain() -> Exception:
    try:
        try:
            raise KeyError("iban")
        except KeyError as e:
            raise PlainError("no such customer", 17) from e
    except PlainError as e:
        e.add_note("while reading row 3")
        return e


def _same_chain(a: Any, b: Any) -> bool:
    return same(a, b) and same(a.__cause__, b.__cause__)


def _mk_generator() -> Iterator[int]:
    g = (i * i for i in range(5))
    next(g)
    return g


def _mk_lambda() -> Callable[[int], int]:
    step = 3
    return lambda x: x + step


def _same_lambda(a: Any, b: Any) -> bool:
    try:
        return type(a) is type(b) and [a(i) for i in range(4)] == [b(i) for i in range(4)]
    except TypeError:
        return False


def _mk_sqlite() -> sqlite3.Connection:
    c = sqlite3.connect(":memory:")
    c.execute("create table t (x)")
    return c



def _mk_deep() -> list:
    v: Any = {"leaf": (1, frozenset({2}))}
    for i in range(150):
        v = [v] if i % 2 else {"n": v}
    return v


def _same_deep(a: Any, b: Any) -> bool:
    while True:
        if type(a) is not type(b):
            return False
        if type(a) is list:
            if len(a) != 1 or len(b) != 1:
                return False
            a, b = a[0], b[0]
        elif "n" in a:
            if list(a) != ["n"] or list(b) != ["n"]:
                return False
            a, b = a["n"], b["n"]
        else:
            return same(a, b)


def _mk_shared() -> dict:
    row = [1, 2]
    cust = Money(Decimal("1.0"))
    return {"first": row, "again": row, "all": [cust, cust, row]}


def _same_shared(a: Any, b: Any) -> bool:
    return (
        same(a, b)
        and b["first"] is b["again"]
        and b["all"][0] is b["all"][1]
        and b["all"][2] is b["first"]
    )


def _mk_cycle() -> Node:
    root = Node("root")
    kid = Node("kid", parent=root)
    root.children.append(kid)
    return root


def _same_cycle(a: Any, b: Any) -> bool:
    return same(a, b) and b.children[0].parent is b


def _mk_messages() -> list:
    return [
        SystemMessage("be brief", id="m0"),
        HumanMessage(
            content=[
                {"type": "text", "text": "what is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
            id="m1",
            name="anna",
        ),
        AIMessage(
            content="",
            id="m2",
            tool_calls=[{"name": "look", "args": {"q": 1.5, "deep": {"a": [None]}}, "id": "c1"}],
            usage_metadata={"input_tokens": 3, "output_tokens": 4, "total_tokens": 7},
            response_metadata={"model": "x"},
        ),
        ToolMessage(
            content="found",
            tool_call_id="c1",
            id="m3",
            artifact={"rows": [(1, "a"), (2, "b")]},
            status="error",
        ),
    ]


def _mk_documents() -> list[Document]:
    return [
        Document(
            page_content="Grüße\u2028",
            metadata={"page": 3, "at": datetime(2024, 2, 29, tzinfo=BERLIN), "box": (1.0, 2.0)},
        ),
        Document(page_content="", metadata={}, id="d-2"),
    ]


def _mk_numpy() -> Any:
    import numpy as np

    return {
        "emb": np.array([[1.5, float("nan")], [-0.0, float("inf")]], dtype=np.float32),
        "mask": np.array([[True, False]], order="F"),
        "more": _mk_numpy_struct(),
        "none": np.zeros((0, 4), dtype=np.uint8),
        "when": np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"),
    }


def _mk_numpy_scalars() -> Any:
    import numpy as np

    return [np.float32(0.1), np.int64(2**40), np.bool_(True), np.float64("nan"), np.str_("ü")]


def _mk_numpy_struct() -> Any:
    import numpy as np

    a = np.zeros(2, dtype=[("id", "i4"), ("w", "f8"), ("tag", "U5")])
    a[0] = (1, 0.25, "ab")
    o = np.array([{"k": (1, 2)}, None, Decimal("1.10")], dtype=object)
    return (a, o)


def _mk_frame() -> Any:
    import pandas as pd

    df = pd.DataFrame(
        {
            "n": pd.array([1, None, 3], dtype="Int64"),
            "when": pd.to_datetime(["2024-01-01", None, "2024-03-31"]).tz_localize("Europe/Berlin"),
            "cat": pd.Categorical(["a", "b", "a"], categories=["b", "a", "z"], ordered=True),
            "obj": pd.Series([Decimal("1.10"), (1, 2), None], dtype=object),
            3: [0.1, float("nan"), -0.0],
        },
        index=pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1)], names=["g", None]),
    )
    return df


def _mk_pd_scalars() -> Any:
    import pandas as pd

    return {
        "ts": pd.Timestamp("2024-07-01 02:30:00.123456789", tz="Europe/Berlin"),
        "nat": pd.NaT,
        "na": pd.NA,
        "delta": pd.Timedelta("1 days 00:00:00.000000001"),
        "period": pd.Period("2024Q1"),
    }


def _mk_series() -> Any:
    import pandas as pd

    return pd.Series(
        [1.5, None, 2.5],
        index=pd.date_range("2024-01-01", periods=3, freq="D", tz="UTC"),
        name=("rev", "net"),
    )


def _mk_fields_set() -> Profile:
    p = Profile(name="kim", age=18)
    p.langs.append("fr")  # changed in place: not in fields_set
    return p


def _mk_default_lambda() -> defaultdict:
    d: defaultdict = defaultdict(lambda: {"n": 0})
    d["a"]["n"] += 1
    return d


def _same_default_lambda(a: Any, b: Any) -> bool:
    return (
        type(a) is type(b)
        and same(dict(a), dict(b))
        and callable(b.default_factory)
        and a.default_factory() == b.default_factory()
    )


def _mk_local_row() -> Any:
    return [LOCAL_ROW("a", Decimal("1.50")), LOCAL_ROW("b", Decimal("-0"))]


def _mk_local_mixed() -> Any:
    return {
        "row": LOCAL_ROW("a", Decimal("2")),
        "mode": LOCAL_MODE.SLOW,
        "model": LOCAL_MODEL(when=datetime(2024, 1, 1), size=(3, 4)),
    }


# --------------------------------------------------------------------------
# the cases
# --------------------------------------------------------------------------

_add(
    "decimal_specials",
    dict[str, Any],
    lambda: {
        "nan": Decimal("NaN"),
        "price": [Decimal("1.10"), Decimal("1E+3"), Decimal("0.000")],
        "snan": Decimal("sNaN12"),
        "neg0": Decimal("-0.00"),
        "inf": Decimal("-Infinity"),
        "long": Decimal("1." + "1234567890" * 8),
    },
)
_add("int_of_300_bits", int, lambda: -(2**300) + 1)
_add("int_past_str_limit", list[int], lambda: [10**5000 + 7, 2**63, -(2**63) - 1, 2**64])
_add(
    "float_edges",
    list[float],
    lambda: [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 0.1 + 0.2, 1e16],
)
_add(
    "complex_and_fraction",
    dict[str, complex | Fraction],
    lambda: {"c": complex(-0.0, float("nan")), "f": Fraction(-22, 7), "z": 1j},
)
_add("lookalike_numbers", Any, lambda: [True, 1, 1.0, False, 0, 0.0, -0.0, Decimal(1), Fraction(1)])
_add("dict_int_keys", dict[int, str], lambda: {3: "c", 1: "a", -2: "z", 2**70: "big"})
_add(
    "dict_tuple_keys",
    dict[tuple[int, int], list[str]],
    lambda: {(1, 2): ["a"], (0, 0): [], (2, 1): ["b", "c"]},
)
_add(
    "dict_mixed_keys_bare",
    dict,
    lambda: {
        None: 0,
        1: "int",
        "1": "str",
        b"1": "bytes",
        2.5: "float",
        date(2024, 2, 29): "day",
        frozenset({1, 2}): "set",
        ("a", (1,)): "tuple",
        Severity.HIGH: "enum",
    },
)
_add("ordered_dict", OrderedDict[str, int], _mk_ordered)
_add("defaultdict_list", defaultdict[str, list], _mk_defaultdict)
_add("deque_maxlen", deque, lambda: deque(["b", "c", "d", "e"], maxlen=3))
_add("counter_negative", Counter, lambda: Counter({"a": 3, "b": -2, ("c", 1): 0}))
_add(
    "set_union_reducer",
    Annotated[set[tuple[str, int]], operator.or_],
    lambda: {("a", 1), ("b", 2)},
)
_add(
    "sets_in_bare_list",
    list,
    lambda: [{1, "1", (1,), 2.5}, frozenset({frozenset(), frozenset({"x"})}), set()],
)
_add("nested_tuples_any", Any, lambda: ((1, 2), [3, (4, [5, ()])], {"t": ("x",)}))
_add("bytes_not_utf8", bytes, lambda: b"\xff\xfe\x00\x80PK\x03\x04")
_add(
    "bytearray_and_array",
    dict[str, object],
    lambda: {"buf": bytearray(b"\x00\xff"), "arr": array.array("d", [1.5, -0.0]), "e": b""},
)
_add("str_lone_surrogate", str, lambda: "caf\udce9 \ud83d end")
_add(
    "str_nul_and_forms",
    dict[str, str],
    lambda: {"\u00e9": "nfc", "e\u0301": "nfd", "n\x00l": "\x00\x1f\u2028\ufeff", "": "\r\n\r"},
)
_add("str_subclass_any", Any, lambda: {"id": MyStr("K-0017"), MyStr("key"): "v"})
_add("number_subclasses", list[float], lambda: [Cents(1999, "CHF"), 5, Celsius(36.6), Celsius("nan")])
_add("dict_subclass_attr", Bag, _mk_bag)
_add("list_and_tuple_subclass", list, lambda: Hits([Pair("l", [1]), "b"], total=250))
_add(
    "datetime_zone_fold",
    datetime,
    lambda: datetime(2024, 10, 27, 2, 30, 0, 123456, tzinfo=BERLIN, fold=1),
)
_add(
    "datetime_odd_offsets",
    list[datetime],
    lambda: [
        datetime(1890, 1, 1, tzinfo=timezone(timedelta(minutes=53, seconds=28), "LMT")),
        datetime(2024, 1, 1, tzinfo=timezone.utc),
        datetime.max,
        datetime(1, 1, 1, tzinfo=timezone(-timedelta(hours=23, minutes=59))),
    ],
)
_add(
    "date_time_delta_union",
    dict[str, date | datetime | time | timedelta | tzinfo],
    lambda: {
        "day": date(2024, 2, 29),
        "midnight": datetime(2024, 2, 29),
        "at": time(23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=-3))),
        "wall": time(2, 30, tzinfo=BERLIN, fold=1),
        "neg": timedelta(days=-1, microseconds=1),
        "max": timedelta.max,
        "zone": ZoneInfo("America/New_York"),
    },
)
_add(
    "paths_mixed",
    list[PurePath],
    lambda: [Path("a/../b"), PurePosixPath("/x y/ü"), PureWindowsPath("C:\\dir\\f.txt"), Path(".")],
)
_add(
    "uuid_and_ips",
    Any,
    lambda: {
        "u": UUID("12345678-1234-5678-1234-567812345678"),
        "v4": IPv4Address("10.0.0.1"),
        "net": IPv4Network("10.0.0.0/8"),
        "if6": IPv6Interface("fe80::1/64"),
        "v6": IPv6Address("fe80::1%eth0"),
    },
)
_add("str_enum_as_str", str, lambda: Tone.LOUD)
_add("int_enum_in_list", list[int], lambda: [Priority.P1, 1, Priority.P0, True])
_add("flags_combined", Any, lambda: {"p": Permission.READ | Permission.SHARE, "f": Feature.A | Feature.B, "0": Feature(0)})
_add("enum_tuple_value", Planet, lambda: Planet.MARS)
_add("enum_nested_class", list[Order.Status], lambda: [Order.Status.SHIPPED, Order.Status.NEW])
_add("dataclass_frozen", Money, lambda: Money(Decimal("12.340"), "USD"))
_add("dataclass_slots_set", set[Span], lambda: {Span(0, 3, "a"), Span(3, 9)})
_add("dataclass_kw_initvar", Quote, _mk_quote)
_add("dataclass_init_false", Ticket | None, _mk_ticket)
_add(
    "dataclass_union_reducer",
    Annotated[list[Move | Wait], operator.add],
    lambda: [Move((1, -1)), Wait(timedelta(seconds=1.5)), Move((0, 0))],
)
_add("dataclass_extra_attr", Any, _mk_dc_extra)
_add(
    "pydantic_strict",
    StrictInvoice,
    lambda: StrictInvoice(
        id=UUID(int=5),
        day=date(2024, 1, 31),
        lines=(("a", 1), ("b", 2)),
        net=Decimal("10.00"),
        channels={Channel.MAIL},
    ),
)
_add("pydantic_alias", AliasedAddress, lambda: AliasedAddress(streetName="Weg 1", PLZ="01067", cc="AT"))
_add("pydantic_private", Session, _mk_session)
_add("pydantic_generic", Page[Money], lambda: Page[Money](items=[Money(Decimal("1.0"))], next=2))
_add(
    "pydantic_discriminated",
    list[Payment],
    lambda: [
        BankPayment(iban="DE00", parts=(1, 2)),
        CardPayment(last4="0042", when=datetime(2024, 5, 5, tzinfo=BERLIN)),
    ],
)
_add("pydantic_root", Tags, lambda: Tags({1: {"a", "b"}, -1: set()}))
_add(
    "pydantic_extra",
    Loose,
    lambda: Loose(name="n", when=date(2024, 1, 1), pos=(1, 2), inner=Money(Decimal("1"))),
)
_add(
    "pydantic_secrets",
    Credentials,
    lambda: Credentials(login="u", password=SecretStr("pä$$"), key=SecretBytes(b"\x00\xff")),
)
_add("pydantic_subclass_in_base", list[Animal], lambda: [Dog(name="r", breed="x", born=date(2020, 1, 2)), Animal(name="a")])
_add("pydantic_validator_twice", Priced, lambda: Priced(cents=5, note="ok"))
_add("pydantic_fields_set", Profile, _mk_fields_set, same_with_fields_set)
_add(
    "typed_dict_namedtuple",
    Customer,
    lambda: {"id": 1, "name": "A", "lines": [Order.Line("s", 2, Decimal("9.90")), Order.Line("t")]},
)
_add("attrs_like_slots", AttrsLike, lambda: AttrsLike(1, "b", c={"k": (1, 2)}))
_add("plain_class_init_args", Any, _mk_account)
_add("class_with_getstate", Meter, _mk_meter, _same_meter)
_add(
    "regex_patterns",
    list[re.Pattern],
    lambda: [re.compile(r"(?P<x>\d+)", re.I | re.M), re.compile(rb"\xff+")],
)
_add("exception_custom_init", Exception | None, lambda: ApiError(503, {"retry": (1, 2)}))
_add("exception_chain_notes", Optional[BaseException], _mk_chain, _same_chain, refusable=True)
_add("functions_and_partial", list[Callable], lambda: [score, functools.partial(score, weight=0.5), len])
_add("class_objects", dict[str, type[Handler] | type], lambda: {"h": LoudHandler, "b": int, "e": Planet})
_add("lambda_closure", Callable[[int], int], _mk_lambda, _same_lambda, refusable=True)
_add("generator_half_read", Iterator[int], _mk_generator, same_identity, refusable=True)
_add("lock_in_dict", dict[str, Any], lambda: {"lock": threading.Lock(), "n": 1}, same_identity, refusable=True)
_add("sqlite_connection", Any, _mk_sqlite, same_identity, refusable=True)
_add("messages_with_reducer", Annotated[list[AnyMessage], add_messages], _mk_messages)
_add("documents", list[Document], _mk_documents)
_add("numpy_arrays", dict[str, Any], _mk_numpy)
_add("pandas_frame", Any, _mk_frame)
_add("numpy_pandas_scalars", dict[str, Any], lambda: {"np": _mk_numpy_scalars(), "pd": _mk_pd_scalars()})
_add("deep_nesting", Any, _mk_deep, _same_deep)
_add("shared_references", dict, _mk_shared, _same_shared)
_add("cycle_parent_child", Node, _mk_cycle, _same_cycle, refusable=True)
_add(
    "empties",
    dict[str, Any],
    lambda: {
        "": None,
        "l": [],
        "t": (),
        "d": {},
        "s": set(),
        "f": frozenset(),
        "b": b"",
        "a": bytearray(),
        "dq": deque(),
        "o": OrderedDict(),
        "m": Tags({}),
    },
)
_add("local_class_annotated", list[LOCAL_ROW], _mk_local_row)
_add("local_class_behind_any", Any, _mk_local_mixed, refusable=True)
_add(
    "union_and_literal",
    dict[str, int | float | str | Literal["auto"] | None],
    lambda: {"a": 1.0, "b": 1, "c": "1", "d": "auto", "e": None, "f": True},
)
_add("memoryview", object, lambda: memoryview(b"\x01\x02\x03"), refusable=True)
_add("open_file", Any, lambda: open(os.devnull, "rb"), same_identity, refusable=True)
_add("defaultdict_lambda", dict[str, dict], _mk_default_lambda, _same_default_lambda, refusable=True)
_add("sentinel_object", object, lambda: UNSET, same_identity, refusable=True)

assert len(CASES) == 80 and len({c.name for c in CASES}) == 80
assert sum(c.open for c in CASES) == 40
