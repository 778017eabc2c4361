"""A personal value that is given to code which nobody read: the place, and who is given it."""

from pathlib import Path

import pytest

from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.unread_call import unread_calls
from minerva_governance.core.reading.source_files import gather

_WRAPPER = "import logging\nlog = logging.getLogger('x')\ndef note(t, *rest): log.info(t, *rest)\n"
_TIMED = (
    "import logging\ndef timed(f):\n    def inner(*a):\n        logging.info('%s', a)\n"
    "        return f(*a)\n    return inner\n"
)


def _is_personal(name: str) -> bool:
    return promised_entity(name) not in {None, "INTERNAL_ID"}


def _calls(folder: Path, **files: str) -> list[tuple[str, int, str, str]]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    sources = gather([folder]).sources
    found = unread_calls(sources, _is_personal, {"patient": "email"})
    return [(one.name, one.line, one.callee, one.sink) for one in found]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"a": "from house import audit\ndef f(p): audit.trace('x', p.email)"},
            ("house.audit.trace", ""),
        ),
        (
            {"a": "from house import audit\nx = {'email': e()}\naudit.trace(x)"},
            ("house.audit.trace", ""),
        ),
        ({"a": "import subprocess\nsubprocess.run(['logger', p.email])"}, ("subprocess.run", "")),
        (
            {"a": "from meters import Counter\nC = Counter()\nC.labels(w=p.email).inc()"},
            ("meters.Counter.labels", ""),
        ),
        ({"a": "say = channel()\nsay(f'{p.email} came')"}, ("say", "")),
        ({"a": "TABLE['x'](p.email.lower())"}, ("(computed)", "")),
        ({"a": "eval(p.email)"}, ("eval", "")),
        ({"a": "tracker.emit(patient)"}, ("emit", "")),
        ({"a": "from b import note\nnote('%s', p.email)", "b": _WRAPPER}, ("log", "log")),
        (
            {"a": "from b import note\ndef tell(x): note('%s', x)\ntell(p.email)", "b": _WRAPPER},
            ("log", "log"),
        ),
        ({"a": "from b import timed\n@timed\ndef f(email): pass", "b": _TIMED}, ("@timed", "")),
        ({"a": "from house import traced\n@traced\ndef f(email): pass"}, ("@house.traced", "")),
        ({"a": "import logging\ndef f(p: Patient): logging.info('%r', p)"}, ("log", "log")),
        (
            {"a": "from sqlalchemy import create_engine\ncreate_engine(url, echo=True)"},
            ("create_engine", "log"),
        ),
    ],
)
def test_a_value_is_followed_to_code_that_nobody_read(
    files: dict[str, str], expected: tuple[str, str], tmp_path: Path
) -> None:
    """The place and who is given it are told, whatever way the value takes."""
    found = _calls(tmp_path, **files)
    assert [one[2:] for one in found] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "db.execute('INSERT …', (p.email, p.phone))\nsession.add(patient)",
        "from cryptography.fernet import Fernet\nbox = Fernet(k)\nbox.encrypt(p.email.encode())",
        "import json\njson.dumps({'email': p.email})\nlen(p.email)\nstr(p.email)",
        "def greet(person):\n    return person.upper()\ngreet(p.email)",
        "from house import audit\naudit.trace('order %s', order_id, len(p.email))",
        "from house import mask_email\nmask_email(p.email)",
        "from sqlalchemy import create_engine\ncreate_engine(url, echo=False)",
        "if check(p.email == other):\n    pass",
        "def broken(:",
    ],
)
def test_what_is_known_is_not_doubted(text: str, tmp_path: Path) -> None:
    """Databases, ciphers, the language itself and the code's own functions are known."""
    assert _calls(tmp_path, a=text) == []
