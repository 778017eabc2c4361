"""How sure a use of a field is: certain, possible with a reason, or left out with one."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.fields.elsewhere import find_elsewhere
from minerva_insilico.core.fields.usage import judged_uses
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

MODELS = """
class Ticket(Base):
    __tablename__ = "ticket"
    state: Mapped[str] = mapped_column()
    only_here: Mapped[str] = mapped_column()
class Crate(Base):
    state: Mapped[str] = mapped_column()
    ticket: Ticket
class Read(BaseModel):
    model_config = ConfigDict(from_attributes=True)
class TicketRead(Read):
    state: str
class TicketIn(BaseModel):
    state: str
class Search(BaseModel):
    state: str
class Repository(Generic[Row]):
    def one(self) -> Row: ...
class Tickets(Repository[Ticket]):
    pass
class Desk:
    def __init__(self): self.tickets = Tickets()
    @property
    def last(self) -> Ticket: ...
    @changed
    def first(self) -> Crate: ...
Row = TypeVar("Row")
Both = Union[Ticket, Crate]
Tick = TypeVar("Tick", bound=Ticket)
def find() -> Ticket: ...
def made():
    one = Ticket()
    return one
@pytest.fixture
def opened(): return made()
"""


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        # What attributes, calls and imports lead to.
        ("def f(c: Crate): c.ticket.state", "relation"),
        ("def f(c: Crate): c.state", "other_class"),
        ("def f(x): x.ticket.state", "relation"),
        ("from models import find\nx = find()\nx.state", "relation"),
        ("from models import made\nx = made()\nx.state", "relation"),
        ("def test_f(opened): assert opened.state", "relation"),
        ("def f(desk: Desk): desk.last.state", "relation"),
        ("def f(desk: Desk):\n    x = desk.first()\n    x.state", "unknown"),
        ("def f(repo: Tickets):\n    x = repo.one()\n    x.state", "relation"),
        ("def f(x):\n    if isinstance(x, Ticket): x.state", "class"),
        ("def f(x): return isinstance(x, Crate) and x.state", "other_class"),
        ("def f(t: list[Ticket]): sorted(t, key=lambda one: one.state)", "class"),
        ("def f(db: Session):\n    x = db.get(Ticket, 1)\n    x.state", "class"),
        ("from models import Ticket as Row2\nRow2(state=1)", "alias"),
        # Unions, type variables, mirrors.
        ("def f(x: Both): x.state", "union"),
        ("def f(x: Tick): x.state", "alias"),
        ("TicketRead(state=1)", "mirror"),
        ("TicketIn(state=1)", "neighbour"),
        ("Search(state=1)", "other_class"),
        # A name that only one class has; the name of a variable.
        ("def f(x): x.only_here", "only_one"),
        ("def f(ticket): ticket.state", "called_so"),
        ("def f(x): x.state", "unknown"),
        # Keywords and texts.
        ("class T(Ticket):\n    @classmethod\n    def f(cls): return cls(state=1)", "class"),
        ("dict(state=1, only_here=2)", "beside"),
        ("def put(state): ...\nput(state=1)", "parameter"),
        ("class T(Ticket):\n    __table_args__ = (Index('i', 'state'),)", "body"),
        ("x = relationship(primaryjoin='and_(Ticket.state == 1, Crate.id)')", "class"),
        ("SORT = {'by': 'state'}\ndef f(k):\n    by = SORT[k]\n    Ticket.objects.order_by(by)",
         "class"),
        ("by = {'k': by['k']}\nby = {'k': by['k']}\nd = by['k']\nTicket.state", "class"),
        ("@strawberry_django.type(Ticket)\nclass Node:\n    state: auto", "class"),
        ("down_revision = 'a'\nTicket.state", "migration"),
    ],
)  # fmt: skip
def test_why_a_use_counts(write: Write, open_index: Open, source: str, wanted: str) -> None:
    """The strongest reason of the uses in `a.py`."""
    index = open_index(write("app", {"models.py": MODELS, "a.py": f"{source}\n"}))
    fields = ("Ticket.state", "Ticket.only_here")
    found = [judged_uses(index, name) for name in fields]
    uses = [use for one in found for use in (*one.uses, *one.left_out) if use.path == "a.py"]

    assert max(uses, key=lambda use: use.score).reason == wanted, uses


def test_what_is_no_python_is_told_apart(write: Write, open_index: Open) -> None:
    """Templates, data and client code are searched as text; a file that does not parse is, too."""
    files: dict[str, str | bytes] = {
        "models.py": MODELS,
        "new.py": "def f(:\n    ticket.only_here\n    # only_here\n",
        "page.html": "{{ ticket.only_here }}\n{{ not_only_here }}\n",
        "app.js": "row.onlyHere;\n",
        "notes.md": "only_here\n",
        "logo.png": b"\0only_here",
    }
    index = open_index(write("app", files))
    found = find_elsewhere(index, "only_here", limit=9)
    unparsed = [use for use in judged_uses(index, "Ticket.only_here").uses if use.kind == "text"]

    assert [(hit.path, hit.line) for hit in found.lines.items] == [("app.js", 1), ("page.html", 1)]
    assert (found.files, found.unread) == ({".js": 1, ".html": 1}, 1)
    assert [(use.path, use.line, use.certainty) for use in unparsed] == [("new.py", 2, "possible")]
