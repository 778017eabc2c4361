"""Whose field a use is, rule by rule, where two models have one of the same name."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

MODELS = """
class Tracked(models.Model):
    class Meta:
        abstract = True
    def is_late(self):
        return self.state
class Ticket(Tracked):
    state = models.CharField()
    class Meta:
        db_table = "desk_ticket"
class OrderLine(models.Model):
    ticket = models.ForeignKey(Ticket, related_name="lines")
    state = models.CharField()
class TicketForm(forms.ModelForm):
    class Meta:
        model = Ticket
class SearchForm(forms.Form):
    text = forms.CharField()
"""
TICKET, LINE, BOTH = {"Ticket.state"}, {"OrderLine.state"}, {"Ticket.state", "OrderLine.state"}


def asked(index: Index) -> set[str]:
    """Return the fields whose uses have a place in `a.py`."""
    return {
        field
        for field in BOTH
        if any(use.path == "a.py" for use in field_uses(index, [field]).items)
    }


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("t = Ticket()\nt.get_state_display()", TICKET),
        ("x = Ticket.objects.dates(get_by='get_state_display')", set()),
        (
            "class S(ModelSerializer):\n    a = CharField(source='get_state_display')\n"
            "    class Meta:\n        model = Ticket",
            TICKET,
        ),
        ("Ticket.objects.bulk_update(found, ['state'])", TICKET),
        ("OrderLine.objects.extra(order_by=['-state'])", LINE),
        ("get_object_or_404(Ticket, state=1)", TICKET),
        ("form = TicketForm(request.POST)\nif 'state' in form.changed_data: pass", TICKET),
        ("form = TicketForm()\nself.assertIn('state', form.errors)", TICKET),
        ("form = SearchForm()\nform.cleaned_data['state']", set()),
        ("TicketForm({'state': 1})", TICKET),
        ("TicketForm(data={'state': 1, 'text': 2})", TICKET),
        ("form = TicketForm()\nform.save().state", TICKET),
        ("@receiver(post_save, sender=Ticket)\ndef f(instance, **k): instance.state", TICKET),
        (
            "@receiver(post_save, sender=Ticket)\ndef f(update_fields=None, **k):\n"
            "    return 'state' in update_fields",
            TICKET,
        ),
        ("for row in found: row['ticket__state']", TICKET),
        ("[row.ticket__state for row in found]", TICKET),
        ("for line in found: line.state", LINE),
        # The name of a variable proves nothing; what a function says it returns does.
        ("def f(request):\n    order_line = request.cart.latest()\n    order_line.state", BOTH),
        ("for order_line in rows.select(): order_line.state", BOTH),
        ("def f(order_line):\n    order_line = Ticket()\n    return order_line.state", BOTH),
        ("def f(order_line):\n    if order_line.state: pass", BOTH),
        ("def f(order_line: Ticket): order_line.state", TICKET),
        ("class Label: pass\ndef f() -> Label: ...\nx = f()\nx.state", set()),
        ("from b import Label, Note\ndef f() -> Label | Note: ...\nx = f()\nx.state", set()),
        ("Tt = TypeVar('Tt')\ndef f() -> Tt: ...\nx = f()\nx.state", BOTH),
        ("class Label: pass\n@made\ndef f() -> Label: ...\nx = f()\nx.state", BOTH),
        ("class Label: pass\ndef f() -> Label: ...\ndef g(f):\n    x = f()\n    x.state", BOTH),
        ("a, b = Ticket.objects.get(), OrderLine.objects.get()\na.state", TICKET),
        ("a = model_to_dict(Ticket.objects.get())\na.pop('state')", TICKET),
        ("df = pd.DataFrame(list(Ticket.objects.values('id')))\ndf[df['state'] > 1]", TICKET),
        ("'closed: {s.state}'.format(s=found)", BOTH),
        ("text = 'closed: {{ line.state }}'", LINE),
        ("sort = kind or 'state'\nTicket.objects.order_by(sort)", TICKET),
        ("def f(sort='-state'): return OrderLine.objects.order_by(sort)", LINE),
        ("mock.patch.object(Ticket, 'state', 1)", TICKET),
        ("request.user.state = 1", set()),
        ("sorted(Ticket.objects.all(), key=attrgetter('state'))", TICKET),
        ("state = 1\nprint(state)", set()),
        ("Q = 'SELECT t.id FROM desk_ticket t'\nSORT = {'kind': 't.state'}", TICKET),
        ("SORT = {'kind': 't.state'}", set()),
        ("q = 'SELECT state FROM app_orderline'", LINE),
        ("q = f'SELECT t.state FROM {Ticket._meta.db_table} t'", TICKET),
        ("q = f'SELECT t.state FROM {table} t JOIN app_orderline l ON l.id = t.id'", BOTH),
        ("q = 'WITH w AS (SELECT l.state FROM app_orderline l) SELECT w.state FROM w'", LINE),
        # A form, serializer or filter set is its `Meta.model`'s, whatever it is called.
        (
            "class LineFilter(FilterSet):\n    class Meta:\n        model = Ticket\n"
            "LineFilter({'state': 1})",
            TICKET,
        ),
        (
            "class TicketFilter(FilterSet):\n    state = CharFilter()\n    class Meta:\n"
            "        model = OrderLine",
            LINE,
        ),
        (
            "class F(FilterSet):\n    class Meta:\n        model = Ticket\n"
            "assert list(F.base_filters) == ['state']\nF({'state__in': 1})",
            TICKET,
        ),
        (
            "class T(TestCase):\n    class F(FilterSet):\n        class Meta:\n"
            "            model = Ticket\n    def test(self):\n        self.F(data={'state': 1})",
            TICKET,
        ),
        ("class S(Serializer):\n    state = CharField()", set()),
        ("class V(ListView):\n    queryset = Ticket.objects\n    ordering = ['state']", TICKET),
        ("f = filterset_factory(Ticket, fields=['state'])", TICKET),
        ("f = modelform_factory(Ticket)\nassert list(f.base_fields) == ['state']", TICKET),
        ("class B(FilterSet):\n    class Meta:\n        fields = ['state']", set()),
        (
            "def test():\n    class B(FilterSet):\n        class Meta:\n"
            "            fields = ['state']\n    filterset_factory(Ticket, filterset=B)",
            TICKET,
        ),
        # What is given to one, or compared with its data, also by a variable.
        ("data = {'state': 1}\nTicketForm(data)", TICKET),
        ("form = TicketForm()\nwant = {'state': ['no']}\nassert form.errors == want", TICKET),
        ("form = TicketForm()\nself.assertEqual(form.errors, {'state': ['no']})", TICKET),
        ("values = {'state': 1}\nOrderLine(**values)", LINE),
        ("OrderLine(state=int(row['state']))", LINE),
        # A text behind a class, the query of an address, code and lists in a text.
        ("label_of(Ticket, 'state')", TICKET),
        ("label_of(OrderLine, 'ticket__state')", TICKET),
        ("client.get('/?state=open&ticket=2')", LINE),
        ("url = f'/?state={one}&ticket={two}'", LINE),
        ("url = 'https://example.org/?state=open&ticket=2'", set()),
        ("text = 'The fields ticket_id, state are unique.'", LINE),
        ('text = """\nTicketForm():\n    state = CharField(max_length=3)\n"""', TICKET),
        ("text = 'a state, a ticket and a line'", set()),
        ('def f():\n    Ticket()\n    return \'<input type="text" name="state">\'', TICKET),
        ("def f():\n    Ticket()\n    return {'ordering': '-state'}", TICKET),
        # Nothing shows the model of a lone key but the function or the class around it.
        ("def f():\n    Ticket.objects.all()\n    return {'state': 1}", TICKET),
        ("def f():\n    OrderLine.objects.all()\n    return {'state': 1}", LINE),
        (
            "class T(TestCase):\n    def f(self): Ticket()\n    def g(self): x = {'state': 1}",
            TICKET,
        ),
        ("Ticket()\ndef f():\n    return {'state': 1}", set()),
        ("def f():\n    Ticket()\n    OrderLine()\n    return 'state'", set()),
        # An item is of its own class, not of what holds it.
        ("class Shelf:\n    state = 1\nshelf = Shelf()\nshelf[0].state", BOTH),
        ("class Shelf:\n    state = 1\nfor one in Shelf():\n    one.state", BOTH),
        ("class Shelf(list):\n    state = 1\n    def f(self): return self[0].state", BOTH),
        ("def f(found: list[Ticket]): return found[0].state", TICKET),
        ("def f(found: dict[str, Ticket], k): return found[k].state", TICKET),
        ("def f(found: dict[str, Ticket]): return found['k'].state", TICKET),
        ("form = LineForm()\nform.cleaned_data['ticket'].state", TICKET),
        ("Ticket.objects.all()[0].state", TICKET),
        # What an object keeps is of what it was made of.
        (
            "class T(TestCase):\n    def f(self):\n        self.objects = Ticket.objects\n"
            "        self.objects.filter(state=1)",
            TICKET,
        ),
    ],
)
def test_whose_field_it_is(write: Write, open_index: Open, source: str, wanted: set[str]) -> None:
    """What shows the model decides; what does not show it is a place of both."""
    index = open_index(write("app", {"models.py": MODELS, "a.py": f"{source}\n"}))

    assert asked(index) == wanted


def test_a_base_reads_the_fields_of_its_subclasses(write: Write, open_index: Open) -> None:
    """`self.state` in an abstract base without that field breaks with the subclass's."""
    index = open_index(write("app", {"models.py": MODELS}))

    assert 6 in {use.line for use in field_uses(index, ["Ticket.state"]).items}
    assert 6 not in {use.line for use in field_uses(index, ["OrderLine.state"]).items}


def test_the_user_may_be_a_model_of_the_tree(write: Write, open_index: Open) -> None:
    """`request.user` is the class that extends Django's user, where there is one."""
    models = (
        "class Member(AbstractUser):\n    state = CharField()\nclass Case(Model):\n    state = 1\n"
    )
    index = open_index(write("app", {"models.py": models, "a.py": "request.user.state = 1\n"}))

    assert "a.py" in {use.path for use in field_uses(index, ["Member.state"]).items}
    assert "a.py" not in {use.path for use in field_uses(index, ["Case.state"]).items}


def test_a_comment_in_sql_is_no_column(write: Write, open_index: Open) -> None:
    """The name stands in both kinds of comments, and on one line as a column."""
    source = (
        'Q = """\n    -- state of the ticket\n    SELECT t.state /* state,\n'
        '      or state */\n      FROM desk_ticket t\n"""\n'
    )
    index = open_index(write("app", {"models.py": MODELS, "a.py": source}))
    found = {use.line for use in field_uses(index, ["Ticket.state"]).items if use.path == "a.py"}

    assert found == {3}


def test_what_an_inner_query_makes_is_of_no_table(write: Write, open_index: Open) -> None:
    """`total AS state` is named by the query, so a renamed column does not break it."""
    source = (
        'Q = """\n    WITH w AS (SELECT SUM(t.id) AS state, t.id FROM desk_ticket t)\n'
        '    SELECT w.state\n      FROM w\n"""\n'
    )
    index = open_index(write("app", {"models.py": MODELS, "a.py": source}))

    assert asked(index) == set()


def test_a_relation_has_a_column(write: Write, open_index: Open) -> None:
    """`ticket_id` breaks with `ticket`, which Django makes it from."""
    source = "OrderLine(ticket_id=1)\nline.ticket_id\nOrderLine.objects.filter(ticket=1)\n"
    index = open_index(write("app", {"models.py": MODELS, "a.py": source}))
    found = field_uses(index, ["OrderLine.ticket"]).items

    assert {use.line for use in found if use.path == "a.py"} == {1, 2, 3}


def test_a_manager_gives_rows_of_the_model_that_has_it(write: Write, open_index: Open) -> None:
    """Also one that is made from a query set; its name says nothing."""
    source = (
        "class LineQuerySet(QuerySet):\n    def f(self): return self.filter(state=1)\n"
        "class DeskManager(Manager.from_queryset(LineQuerySet)): pass\n"
    )
    models = f"{MODELS}class Case(Ticket):\n    objects = DeskManager()\n"
    index = open_index(write("app", {"models.py": models, "a.py": source}))

    assert asked(index) == TICKET
