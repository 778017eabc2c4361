"""Uses of a field, and whether its value flows into a log."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minerva_insilico.core.fields.sql import read_statement
from minerva_insilico.core.fields.usage import field_uses, sink_uses
from minerva_insilico.core.index.index import Index

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]


def uses(index: Index, name: str) -> set[tuple[int, str]]:
    """Return (line, kind) of each use."""
    return {(use.line, use.kind) for use in field_uses(index, [name]).items}


def test_three_ways_to_use_a_column(write: Write, open_index: Open) -> None:
    """B8: in SQL, as an attribute of a mapped object, as a key."""
    source = (
        'QUERY = "SELECT PAT_NM FROM TB_PATIENT"\n\n\n'
        "def name(patient): return patient.PAT_NM\n\n\n"
        'ROW = {"PAT_NM": 1}\n'
    )
    found = field_uses(open_index(write("pkg", {"a.py": source})), ["PAT_NM"])

    assert found.total == 3
    assert [(use.line, use.kind, use.symbol) for use in found.items] == [
        (1, "sql_string", "pkg.a"),
        (4, "attribute", "pkg.a.name"),
        (7, "dict_key", "pkg.a"),
    ]
    assert found.items[0].snippet == 'QUERY = "SELECT PAT_NM FROM TB_PATIENT"'
    assert found.items[0].tables == ("TB_PATIENT",)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("row['PAT_NM']", "dict_key"),
        ("row.get('PAT_NM')", "dict_key"),
        ("frame[['PAT_NM', 'AGE']]", "dict_key"),
        ("Patient(pat_nm=1)", "keyword"),
        ("q.filter(doctor__pat_nm__contains='x')", "keyword"),
        ("getattr(p, 'pat_nm')", "attribute"),
        ("q.order_by('-pat_nm')", "string"),
        ("p.pat_nm = 1", "attribute"),
        ("class P:\n    pat_nm: str = ''", "attribute"),
        ("db.execute(f'SELECT pat_nm FROM {t} WHERE x = {v}')", "sql_string"),
        ("sql = 'SELECT ' + cols + ', PAT_NM ' + 'FROM TB_PATIENT'", "sql_string"),
        ("sql += ' AND PAT_NM LIKE ?'", "sql_string"),
        ("db.execute('INSERT INTO T (PAT_NM) VALUES (%s)', [1])", "sql_string"),
        ("db.execute('UPDATE T SET PAT_NM = %(n)s', v)", "sql_string"),
        ("db.execute('SELECT NVL(a.PAT_NM, 1) FROM T a, U b WHERE a.i = b.i(+)')", "sql_string"),
        ("db.execute('SELECT `PAT_NM` FROM `T`')", "sql_string"),
        ("db.execute('CREATE TABLE T (PAT_NM VARCHAR2(100))')", "sql_string"),
        ("db.execute('SELECT PAT_NM FROM T WHERE THIS IS {{ NOT }} SQL ((')", "sql_string"),
        ("match p:\n    case P(pat_nm=x): pass", "attribute"),
    ],
)
def test_each_way_to_write_a_use(write: Write, open_index: Open, line: str, kind: str) -> None:
    """Case does not matter, because SQL ignores it and mapped attributes are lower case."""
    index = open_index(write("pkg", {"a.py": line + "\n"}))

    assert {found for _, found in uses(index, "PAT_NM")} == {kind}


@pytest.mark.parametrize(
    "line",
    [
        "pat_nm = 1",
        "def pat_nm(): ...",
        "x.pat_nm()",
        "'''PAT_NM is documented here'''",
        "db.execute('SELECT X AS PAT_NM FROM T')",
        "db.execute('SELECT X FROM T WHERE N = :pat_nm')",
        "db.execute(\"SELECT X FROM T WHERE N = 'PAT_NM'\")",
        "db.execute('SELECT X FROM PAT_NM')",
        "print('Select the pat_nm you want from the list')",
        "# row.PAT_NM",
    ],
)
def test_what_is_no_use(write: Write, open_index: Open, line: str) -> None:
    """Variables, methods, aliases, bind names, values, prose and comments do not break."""
    index = open_index(write("pkg", {"a.py": line + "\n"}))

    assert uses(index, "PAT_NM") == set()


def test_a_column_stands_on_its_own_line_of_a_long_statement(
    write: Write, open_index: Open
) -> None:
    """A person jumps to the line that has to change, not to where the string begins."""
    source = (
        'Q = """\n    SELECT PAT_ID,\n           PAT_NM\n'
        '      FROM T\n     WHERE PAT_NM = :n\n"""\n'
    )
    index = open_index(write("pkg", {"a.py": source}))

    assert uses(index, "PAT_NM") == {(3, "sql_string"), (5, "sql_string")}


@pytest.mark.parametrize(
    ("line", "sink"),
    [
        ("logging.info(p.jumin_no)", "logging"),
        ("logging.info('no %s', p.jumin_no)", "logging"),
        ("logger.error(f'no {p.jumin_no}')", "logging"),
        ("self.log.debug('%s' % p.jumin_no)", "logging"),
        ("note = logging.getLogger('x')\nnote.info(p.jumin_no)", "logging"),
        ("import logging as lg\nlg.info(p.jumin_no)", "logging"),
        ("from logging import warning\nwarning(p.jumin_no)", "logging"),
        ("logging.getLogger(__name__).info(row['jumin_no'])", "logging"),
        ("log.info('x', jumin_no=p)", "logging"),
        ("print(p.jumin_no)", "print"),
        ("print(str(p.jumin_no).strip())", "print"),
        ("print('{}'.format(p.jumin_no))", "print"),
        ("print([r.get('jumin_no') for r in rows])", "print"),
        ("print(jumin_no)", "print"),
        ("sys.stderr.write(p.jumin_no)", "print"),
        ("logging.info(mask(p.jumin_no))", None),
        ("print(len(p.jumin_no))", None),
        ("print(p.jumin_no == other)", None),
        ("math.log(p.jumin_no)", None),
        ("save(p.jumin_no)", None),
        ("print(hashlib.sha256(p.jumin_no.encode()).hexdigest())", None),
        ("print(p.jumin_no.age)", None),
    ],
)
def test_where_a_value_flows(write: Write, open_index: Open, line: str, sink: str | None) -> None:
    """Straight into a log or a print counts; a call in between may mask, so it does not."""
    index = open_index(write("pkg", {"a.py": line + "\n"}))
    found = {use.sink for use in field_uses(index, ["JUMIN_NO"]).items}

    assert found == {sink}
    assert {use.sink for use in sink_uses(index).items if use.name == "jumin_no"} == found - {None}


def test_the_logger_itself_does_not_flow(write: Write, open_index: Open) -> None:
    """`logging` in `logging.info(…)` is where the value goes, not a value."""
    index = open_index(write("pkg", {"a.py": "logging.info('%s', p.jumin_no)\n"}))

    assert [use.name for use in sink_uses(index).items] == ["jumin_no"]


def test_uses_are_counted_beyond_the_limit(write: Write, open_index: Open) -> None:
    """A hand-off may be cut; it must say so."""
    index = open_index(write("pkg", {"a.py": "x.pat_nm\n" * 30}))
    found = field_uses(index, ["PAT_NM"], limit=7)

    assert (found.total, found.shown, found.truncated) == (30, 7, True)


def test_a_piece_of_sql_is_recognised_by_its_capitals() -> None:
    """`and the …` is prose, `AND PAT_NM = ?` is a piece of a statement."""
    piece, prose = read_statement(" AND PAT_NM = ?"), read_statement("and the PAT_NM")

    assert piece is not None
    assert piece.columns == ("PAT_NM",)
    assert prose is None
