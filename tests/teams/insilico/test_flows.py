"""Where values go: by which way, to which sink, to whose host."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.fields.declared import declared_fields
from minerva_insilico.core.flows.flow_reach import Flow, reached_sinks
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

HEAD = """\
import csv, hashlib, json, logging, sys
from dataclasses import asdict, dataclass
import requests, structlog

logger = logging.getLogger(__name__)
events = structlog.get_logger()
ADDRESS = "https://user:secret@api.partner.example/v1"

@dataclass
class Patient:
    name: str
    rrn: str
    email: str

"""


def flows(index: Index) -> list[Flow]:
    """Return all flows of the tree."""
    declared = declared_fields(index, limit=1_000).items
    return list(reached_sinks(index, declared, (), limit=1_000).items)


@pytest.mark.parametrize(
    ("body", "sink"),
    [
        ("logger.info(p.rrn)", "logging"),
        ("held = p.rrn\nlogger.info('%s', held)", "logging"),
        ("logger.warning(f'no {p.rrn}')", "logging"),
        ("logger.info('seen', extra={'number': p.rrn})", "logging"),
        ("events.info('seen', number=p.rrn)", "logging"),
        ("events.bind(number=p.rrn).info('seen')", "logging"),
        ("logger.info(json.dumps({'number': p.rrn}))", "logging"),
        ("logger.info('%s', str(p.rrn).strip())", "logging"),
        ("logger.info('%s' % p.rrn)", "logging"),
        ("print(p.rrn)", "print"),
        ("sys.stderr.write(p.rrn)", "print"),
        ("raise ValueError('bad ' + p.rrn)", "exception"),
        ("error = ValueError(f'bad {p.rrn}')\nraise error", "exception"),
        ("open('a.txt', 'w').write(p.rrn)", "file"),
        ("with open('a.csv', 'w') as f:\n    csv.writer(f).writerow([p.rrn])", "file"),
        ("json.dump({'number': p.rrn}, open('a.json', 'w'))", "file"),
        ("Path('a.txt').write_text(p.rrn)", "file"),
        ("requests.post(ADDRESS, json={'number': p.rrn})", "http"),
        ("body = {}\nbody['number'] = p.rrn\nrequests.post(ADDRESS, json=body)", "http"),
        ("rows = []\nrows.append(p.rrn)\nrequests.post(ADDRESS, json=rows)", "http"),
        ("text = 'number '\ntext += p.rrn\nprint(text)", "print"),
        ("send_card.delay(p.rrn)", "queue"),
        ("producer.send('cards', value=p.rrn)", "queue"),
        ("return render(request, 'card.html', {'number': p.rrn})", "template"),
        ("return JsonResponse({'number': p.rrn})", "template"),
        ("print([one.rrn for one in p.family])", "print"),
        ("if p:\n    held = mask(p.rrn)\nelse:\n    held = p.rrn\nprint(held)", "print"),
        ("print((lambda: 1)() or p.rrn)", "print"),
        ("print(getattr(p, 'rrn'))", "print"),
        ("for one in Patient.objects.values_list('rrn'):\n    print(one)", "print"),
        ("print(p.rrn[:200])", "print"),
    ],
)
def test_a_value_reaches_a_sink(write: Write, open_index: Open, body: str, sink: str) -> None:
    """Straight, through a variable, a formatter, a container: the value is the same."""
    inner = "\n".join(f"    {line}" for line in body.split("\n"))
    index = open_index(write("pkg", {"a.py": f"{HEAD}def f(request, p):\n{inner}\n"}))

    assert {(one.name, one.sink) for one in flows(index) if not one.suspect} >= {("rrn", sink)}


@pytest.mark.parametrize(
    "body",
    [
        "logger.info(mask(p.rrn))",
        "logger.info('seen', extra={'rrn': mask_number(p.rrn)})",
        "events.info('seen', rrn=redact(p.rrn))",
        "print(hashlib.sha256(p.rrn.encode()).hexdigest())",
        "digest = hmac.new(KEY, p.rrn.encode(), 'sha256')\nprint(digest.hexdigest())",
        "print(encrypt(p.rrn))",
        "print(p.rrn[-4:])",
        "print(p.rrn[:6] + '-*******')",
        "print(len(p.rrn))",
        "print(p.rrn == other)",
        "rrn = mask(p.rrn)\nprint(rrn)",
        "rrn = p.rrn\nrrn = mask(rrn)\nprint(rrn)",
        "print(stars(p.rrn))",
        "held = p.rrn\nheld = 'none'\nprint(held)",
        "p.rrn.write('x')",
        "io.StringIO().write(p.rrn)",
    ],
)
def test_a_masking_call_ends_the_flow(write: Write, open_index: Open, body: str) -> None:
    """A masked value, a hash, a length or four characters say too little of a person."""
    inner = "\n".join(f"    {line}" for line in body.split("\n"))
    stars = "def stars(text):\n    return text[0] + '*' * (len(text) - 1)\n\n"
    index = open_index(write("pkg", {"a.py": f"{HEAD}{stars}def f(p, other):\n{inner}\n"}))

    assert [one for one in flows(index) if one.name == "rrn"] == []


@pytest.mark.parametrize(
    "value",
    ["p", "asdict(p)", "vars(p)", "p.__dict__", "p.model_dump()", "[p]", "Patient.objects.first()"],
)
def test_a_whole_object_is_all_of_its_fields(write: Write, open_index: Open, value: str) -> None:
    """A printed record may hold what the model has; that its text does is only suspected."""
    text = f"{HEAD}def f(p: Patient):\n    print({value})\n"
    found = {(one.name, one.via) for one in flows(open_index(write("pkg", {"a.py": text})))}

    assert {("rrn", "Patient.*"), ("email", "Patient.*")} <= found


def test_a_bare_object_is_suspected(write: Write, open_index: Open) -> None:
    """What `str()` of it shows is not in the text; what `asdict()` gives is."""
    text = f"{HEAD}def f(p: Patient):\n    print(p)\n    logger.info(asdict(p))\n"
    found = flows(open_index(write("pkg", {"a.py": text})))

    assert {(one.sink, one.suspect) for one in found if one.name == "rrn"} == {
        ("print", True),
        ("logging", False),
    }


def test_an_unknown_call_makes_it_suspected(write: Write, open_index: Open) -> None:
    """It may mask, and it may not: a person has to look."""
    text = f"{HEAD}def f(p):\n    print(prepared(p.rrn))\n"
    (found,) = flows(open_index(write("pkg", {"a.py": text})))

    assert (found.name, found.via, found.suspect) == ("rrn", "prepared()", True)


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("'https://api.a.example/x'", "api.a.example"),
        ("ADDRESS", "api.partner.example"),
        ("f'{ADDRESS}/patients'", "api.partner.example"),
        ("ADDRESS + '/patients'", "api.partner.example"),
        ("f'https://b.example/{p.id}'", "b.example"),
        ("f'https://{p.id}.b.example'", "f'https://{p.id}.b.example'"),
        ("os.environ.get('URL', 'https://c.example')", "c.example"),
        ("urljoin('https://d.example', 'x')", "d.example"),
        ("URLS['sms']", "URLS['sms']"),
        ("HOST", "sms.example"),
        ("settings.SMS_URL", "settings.example"),
    ],
)
def test_the_host_is_named(write: Write, open_index: Open, address: str, host: str) -> None:
    """Of a literal, a constant of this or another module, a setting; else the code that says it."""
    sources = {
        "pkg/__init__.py": "",
        "pkg/hosts.py": "HOST = 'https://sms.example/send'\n",
        "pkg/settings.py": "SMS_URL = 'https://settings.example'\n",
        "pkg/a.py": (
            f"from django.conf import settings\nfrom pkg.hosts import HOST\n{HEAD}"
            f"def f(p):\n    requests.post({address}, json={{'number': p.rrn}})\n"
        ),
    }
    found = [one for one in flows(open_index(write("proj", sources))) if one.name == "rrn"]

    assert [(one.sink, one.destination) for one in found] == [("http", host)]


@pytest.mark.parametrize(
    "client",
    [
        "with httpx.Client(base_url='https://api.a.example') as c:\n"
        "        c.post('x', json=p.rrn)",
        "c = requests.Session()\n    c.post('https://api.a.example/x', data=p.rrn)",
        "self.session.put('https://api.a.example/x', json={'number': p.rrn})",
        "urllib.request.urlopen(urllib.request.Request('https://api.a.example', data=p.rrn))",
    ],
)
def test_a_client_is_known_by_what_made_it(write: Write, open_index: Open, client: str) -> None:
    """A session of a client library is a third party's, too."""
    text = f"import httpx, urllib.request\n{HEAD}def f(self, p):\n    {client}\n"
    found = flows(open_index(write("pkg", {"a.py": text})))

    assert ("rrn", "http", "api.a.example") in {
        (one.name, one.sink, one.destination) for one in found
    }


def test_a_library_of_a_service_goes_to_its_host(write: Write, open_index: Open) -> None:
    """`stripe` talks to nobody but Stripe."""
    text = f"import stripe\n{HEAD}def f(p):\n    stripe.Customer.create(email=p.email)\n"
    (found,) = flows(open_index(write("pkg", {"a.py": text})))

    assert (found.name, found.sink, found.destination) == ("email", "http", "api.stripe.com")


def test_a_helper_lets_out_what_its_callers_give(write: Write, open_index: Open) -> None:
    """The line of the caller is the one that has to change."""
    sources = {
        "pkg/__init__.py": "",
        "pkg/audit.py": "import logging\n\ndef note(what, value):\n    logging.info(what, value)\n",
        "pkg/a.py": (
            f"from pkg.audit import note\n{HEAD}"
            "def f(p):\n    note('seen', p.rrn)\n    note('seen', value=p.email)\n"
            "    note('seen', mask(p.name))\n"
        ),
    }
    found = flows(open_index(write("proj", sources)))

    assert {(one.name, one.path, one.via) for one in found if one.kind == "attribute"} == {
        ("rrn", "pkg/a.py", "note()"),
        ("email", "pkg/a.py", "note()"),
    }


def test_a_function_of_the_file_is_followed(write: Write, open_index: Open) -> None:
    """What it returns flows on, whichever stands first."""
    text = (
        f"{HEAD}def f(p):\n    print(line_of(p))\n    print(short(p))\n\n"
        "def line_of(one):\n    return f'{one.name}: {one.rrn}'\n\n"
        "def short(one):\n    return one.email[:2]\n"
    )
    found = flows(open_index(write("pkg", {"a.py": text})))

    assert {(one.name, one.via) for one in found if one.kind == "attribute"} == {
        ("name", "line_of()"),
        ("rrn", "line_of()"),
    }


def test_a_literal_at_a_sink_leaves_without_its_text(write: Write, open_index: Open) -> None:
    """Only its place is told: who knows what is personal reads it there."""
    number = "880417-" + "1234561"
    text = f"{HEAD}logger.info('trial with {number}')\nlogger.info('in 2026')\n"
    index = open_index(write("pkg", {"a.py": text}))
    (found,) = flows(index)

    assert (found.name, found.line, found.via) == ("(literal)", 15, ":15-15")
    rows = index.connection.execute("SELECT * FROM flows").fetchall()
    assert number not in repr(rows)


def test_generated_code_ends_the_trace(write: Write, open_index: Open) -> None:
    """A table of thousands of cells is cut, and no sink costs more than its own bound."""
    cells = ", ".join("p.rrn" for _ in range(5_000))
    deep = "p.rrn" + "".join(f" + str(x{number})" for number in range(300))
    text = f"{HEAD}def f(p):\n    print([{cells}])\n    print({deep})\n"

    found = flows(open_index(write("pkg", {"a.py": text})))

    assert {one.line for one in found if one.name == "rrn"} == {16, 17}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (
            "rows = c.execute('SELECT rrn, name AS n FROM T')\n"
            "csv.writer(open('a', 'w')).writerows(rows)",
            {"rrn", "name"},
        ),
        (
            "cur = c.cursor()\ncur.execute(SQL)\n"
            "with open('a.csv', 'w') as f:\n    w = csv.writer(f)\n"
            "    for row in cur:\n        w.writerow(row)",
            {"rrn", "email"},
        ),
        ("c.execute(SQL)\nfor one in c.fetchall():\n    open('a', 'w').write(one[1])", {"email"}),
        ("for key, mail in c.execute(SQL):\n    open('a', 'w').write(mail)", {"email"}),
        ("row = c.execute(SQL).fetchone()\nopen('a', 'w').write(row[0])", {"rrn"}),
        ("pd.read_sql(text(SQL), c).to_csv('a.csv')", {"rrn", "email"}),
        ("frame = pd.read_sql(SQL, c)\nframe[['email']].to_csv('a.csv')", {"email"}),
        ("self.cur.execute(SQL)\nopen('a', 'w').write(str(self.cur.fetchone()))", {"rrn", "email"}),
        (
            "w = csv.DictWriter(open('a', 'w'), fieldnames=FIELDS)\nw.writerows(given)",
            {"rrn", "email"},
        ),
        ("c.execute('SELECT rrn INTO OUTFILE \"/a.csv\" FROM T'.replace('\"', ''))", set[str]()),
        ("c.execute(\"SELECT rrn INTO OUTFILE '/tmp/a.csv' FROM T\")", {"rrn"}),
        ("c.execute(\"COPY (SELECT email FROM T) TO '/tmp/a.csv' CSV\")", {"email"}),
        ("c.copy_expert('COPY T (rrn) TO STDOUT', open('a.csv', 'w'))", {"rrn"}),
        (
            "c.execute('SELECT * FROM TB_P')\nopen('a', 'w').write(str(c.fetchall()))",
            {"rrn", "zip"},
        ),
        (
            "c.execute('SELECT COUNT(*), MASK(rrn), SHA2(email, 256), age > 3 FROM T')\n"
            "open('a', 'w').write(str(c.fetchall()))",
            set[str](),
        ),
        ("c.execute('SELECT rrn FROM T')\nopen('a', 'w').write(mask(c.fetchone()[0]))", set[str]()),
        (
            "c.execute(SQL)\nc.execute('SELECT zip FROM T')\nopen('a', 'w').write(c.fetchone()[0])",
            {"zip"},
        ),
    ],
)
def test_what_a_query_selects_reaches_the_file(
    write: Write, open_index: Open, body: str, names: set[str]
) -> None:
    """Rows are followed to the file: by their place in the row, by their names, as a whole."""
    inner = "\n".join(f"    {line}" for line in body.split("\n"))
    head = "FIELDS = ('rrn', 'email')\nSQL = '''SELECT rrn, email\n  FROM T'''\n"
    index = open_index(
        write("pkg", {"a.py": f"import csv\n{head}def f(self, c, given):\n{inner}\n"})
    )
    columns = [("TB_P", "rrn"), ("TB_P", "zip"), ("T", "rrn"), ("T", "email")]
    found = reached_sinks(index, (), columns, limit=1_000).items

    told = {one.name for one in found if one.sink == "file" and not one.suspect}
    assert told & {"rrn", "name", "email", "zip", "age"} == names


def test_part_of_a_value_in_sql_is_suspected(write: Write, open_index: Open) -> None:
    """`SUBSTR` may leave a masked value, and may leave all of it."""
    text = "def f(c):\n    print(c.execute('SELECT SUBSTR(rrn, 1, n) FROM T').fetchone())\n"
    index = open_index(write("pkg", {"a.py": text}))
    found = reached_sinks(index, (), [("T", "rrn")], limit=10).items

    assert ("rrn", "print", True) in {(one.name, one.sink, one.suspect) for one in found}
