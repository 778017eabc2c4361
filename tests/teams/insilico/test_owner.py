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
