"""What leaves a server tells nothing of its folders."""

from pathlib import Path

from minerva_platform.server.response_models import without_paths

HOME = Path("/var/lib/minerva")
COPY = f"/uploads/{'ab' * 32}/"


def test_an_uploaded_file_has_its_name_alone() -> None:
    """Wherever it stands, and whichever host worked on it; other text stays as it is."""
    told = {
        "answer": f"read `{HOME}{COPY}메모.sql` and (/srv/other home{COPY}b.sql)",
        "hops": [{"path": f"{HOME}/artifacts/x"}, {"path": f"C{COPY}a.txt:12"}],
        "quoted": f'"{HOME}{COPY}c.sql"',
        "lines": f"one\n{HOME}{COPY}d.sql\n{HOME}",
        "plain": "uploads/ of a week",
    }

    assert without_paths(told, HOME) == {
        "answer": "read `메모.sql` and (/srv/other b.sql)",
        "hops": [{"path": "~/artifacts/x"}, {"path": "a.txt:12"}],
        "quoted": '"c.sql"',
        "lines": "one\nd.sql\n~",
        "plain": "uploads/ of a week",
    }
    assert without_paths({"a": 1}, HOME) == {"a": 1}
