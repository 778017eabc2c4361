"""A model finds words; names, lines and hits are the index's, or what it says is not taken."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from minerva_insilico import InsilicoTeam
from minerva_insilico.answers.prose import Prose, agreeing
from minerva_insilico.core.docstrings.drafting import draft_docstrings
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.queries.symbol import named_exactly
from minerva_platform import Model, RefusedAnswerError
from minerva_platform.models import ModelSpec
from minerva_platform.testing import Fault, Reply, ScriptedRouter, scripted_openai_server

Write = Callable[[str, Mapping[str, str | bytes]], Path]
Open = Callable[[Path], Index]

SHOP = {
    "till.py": '"""The till."""\n\n\ndef total(prices, *, vat: float = 0.1):\n'
    "    if vat < 0:\n        raise ValueError(vat)\n    return sum(prices) * (1 + vat)\n\n\n"
    "def owed(prices):\n    return total(prices)\n",
}
DRAFT = "draft google docstrings for total"
SUMMARY = "summarise the module till"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def shop(write: Write) -> Path:
    """Give a tree of one module."""
    return write("shop", SHOP)


def ask(shop: Path, member: str, request: str, url: str | None) -> dict[str, Any]:
    """Ask a member of the team, with a scripted model or without one."""
    team = InsilicoTeam(router=ScriptedRouter([member]))
    if url is not None:
        model = Model(ModelSpec(name="openai:scripted", base_url=url, timeout=1.0))
        team.model = model
    return dict(team.invoke({"request": request, "attachments": [str(shop)]}))


def phrased(**changes: Any) -> Reply:
    """Return what a careful model says of `total`, changed."""
    said = {
        "number": 1,
        "summary": "Add the prices and the tax",
        "parameters": [
            {"name": "prices", "text": "What each thing costs."},
            {"name": "vat", "text": "The share of `vat` that is added."},
        ],
        "returns": "The sum with tax",
        "raises": [{"name": "ValueError", "text": "The tax is negative"}],
    }
    return Reply(json={"docstrings": [{**said, **changes}]})


def test_a_docstring_in_a_models_words_keeps_the_signature(shop: Path) -> None:
    """Types, defaults' places and the names are the source's; the sentences the model's."""
    with scripted_openai_server({"Prose": [phrased()]}) as server:
        run = ask(shop, "docstring_agent", DRAFT, server.url)
        prompt = server.calls[0].prompt

    assert run["status"] == "ok"
    assert "def total(prices, *, vat: float = 0.1):" in prompt
    assert "parameters: prices, vat; returns or yields: yes; raises: ValueError" in prompt
    assert "Drafts: 1 of 1 asked about (google)" in run["answer"]
    for line in (
        "Add the prices and the tax.",
        "    prices: What each thing costs.",
        "    vat (float): The share of `vat` that is added.",
        "    The sum with tax.",
        "    ValueError: The tax is negative.",
    ):
        assert line in run["answer"]
    assert (shop / "till.py").read_text() == SHOP["till.py"]


INVENTED: dict[str, dict[str, Any]] = {
    "a parameter too many": {
        "parameters": [{"name": name, "text": "x"} for name in ("prices", "vat", "currency")]
    },
    "a parameter missing": {"parameters": [{"name": "prices", "text": "x"}]},
    "a parameter twice": {
        "parameters": [{"name": name, "text": "x"} for name in ("prices", "vat", "vat")]
    },
    "an exception that is not raised": {"raises": [{"name": "KeyError", "text": "x"}]},
    "a definition that was not shown": {"number": 7},
    "an empty summary": {"summary": " "},
    "a summary that says the name": {"summary": "Get the total"},
    "a summary of something else": {"summary": "Bananas fly over the moon."},
    "nothing of what is returned": {"returns": " "},
    "lines of its own": {"summary": 'x\n"""\nimport os\n"""'},
    "a name that the code lacks": {"summary": "Call `os.system`."},
}


def test_what_does_not_fit_the_signature_is_refused(shop: Path, open_index: Open) -> None:
    """One docstring that does stands beside those that do not."""
    index = open_index(shop)
    subjects = draft_docstrings(index, named_exactly(index, "total")).subjects
    careful: Any = phrased().json

    for changes in INVENTED.values():
        wrong = phrased(**changes).json["docstrings"]
        with pytest.raises(RefusedAnswerError, match="none of its docstrings has the parameters"):
            agreeing(Prose.model_validate({"docstrings": wrong}), index, subjects)
        both = Prose.model_validate({"docstrings": [*careful["docstrings"], *wrong]})
        assert agreeing(both, index, subjects) == Prose.model_validate(careful)


@pytest.mark.small(1)
@pytest.mark.parametrize(
    "said",
    [phrased(parameters=[]), Reply(text="Sure! Here it is"), Fault("hang")],
    ids=["invented", "prose", "silent"],
)
def test_there_is_no_draft_without_a_docstring_that_fits(shop: Path, said: Any) -> None:
    """The report stands, and the run says what it went without."""
    with scripted_openai_server(lambda _: said) as server:
        run = ask(shop, "docstring_agent", DRAFT, server.url)

    assert run["status"] == "ok_degraded"
    assert "No drafts: nothing that the model said agrees with the code." in run["answer"]
    assert run["bypassed"][0]["path"] == "insilico/docstring_agent"


def test_coverage_asks_no_model(shop: Path) -> None:
    """A count needs no words."""
    with scripted_openai_server([]) as server:
        run = ask(shop, "docstring_agent", "docstring coverage", server.url)

        assert server.calls == []
    assert run["status"] == "ok"


def said_of(*sentences: tuple[str, list[int]]) -> Reply:
    """Return an account of these sentences and lines."""
    return Reply(json={"sentences": [{"text": text, "lines": lines} for text, lines in sentences]})


def test_an_account_cites_lines_that_show_it(shop: Path) -> None:
    """A line that is not there, no line, or a name that the lines lack: the sentence goes."""
    account = said_of(
        ("It adds prices in `total`.", [4, 7]),
        ("It writes to `database`.", [4]),
        ("It is fast.", []),
        ("It ends well.", [99]),
        ("A negative `vat` is refused.", [5, 6]),
        ("It calls `owed` in line 4.", [4]),
    )
    with scripted_openai_server({"ModuleDescription": [account]}) as server:
        run = ask(shop, "ast_parser_agent", SUMMARY, server.url)

    assert run["status"] == "ok"
    assert "- It adds prices in `total`. (`till.py:4`, `till.py:7`)" in run["answer"]
    assert "- A negative `vat` is refused. (`till.py:5`, `till.py:6`)" in run["answer"]
    assert "- exports: `total`, `owed`" in run["answer"]
    for dropped in ("database", "fast", "ends well", "It calls"):
        assert dropped not in run["answer"]


@pytest.mark.parametrize(
    "said",
    [
        said_of(("It writes to `database`.", [1])),
        said_of(),
        Fault("hang"),
    ],
    ids=["unsupported", "empty", "silent"],
)
def test_without_a_supported_sentence_the_facts_stand(shop: Path, said: Any) -> None:
    """The same answer as without a model; the run says what it went without."""
    offline = ask(shop, "ast_parser_agent", SUMMARY, None)
    with scripted_openai_server(lambda _: said) as server:
        run = ask(shop, "ast_parser_agent", SUMMARY, server.url)

    assert run["status"] == "ok"
    assert run["answer"].startswith(offline["answer"].partition("\n\nFiles: ")[0])
    assert run["bypassed"][0]["path"] == "insilico/ast_parser_agent"


def test_other_questions_about_modules_ask_no_model(shop: Path) -> None:
    """Cycles, outlines and numbers are facts."""
    with scripted_openai_server([]) as server:
        for request in ("import cycles?", "outline of till.py", "complexity of total", "index it"):
            assert ask(shop, "ast_parser_agent", request, server.url)["status"] == "ok"

        assert server.calls == []


CLINIC = {
    "ward.py": 'def admit_patient(p):\n    """Take a person in for the night."""\n',
    "docs/guide.md": "# Admission\n\nHow a patient is admitted to a ward.\n",
}
VAGUE = "입원 처리하는 데가 어디야?"


@pytest.fixture
def clinic(write: Write) -> Path:
    """Give a tree in English with a document."""
    return write("clinic", CLINIC)


def test_a_request_without_names_is_said_in_words_of_the_code(clinic: Path) -> None:
    """The model proposes words; the definitions and sections are the index's."""
    said = Reply(json={"words": ["admit", "teleport"]})
    with scripted_openai_server({"SearchWords": [said]}) as server:
        run = ask(clinic, "code_search_agent", VAGUE, server.url)

    assert run["status"] == "ok"
    assert "찾은 낱말: `admit`\n" in run["answer"]
    assert "- `ward.py:1` function `clinic.ward.admit_patient`" in run["answer"]
    assert "- `docs/guide.md:1` `Admission`:" in run["answer"]
    assert "teleport" not in run["answer"]


@pytest.mark.parametrize(
    "said",
    [
        Reply(json={"words": ["teleport"]}),
        Fault("cut_stream"),
    ],
    ids=["unknown", "cut"],
)
def test_words_that_the_index_lacks_change_nothing(clinic: Path, said: Any) -> None:
    """The same answer as without a model, and what the run went without."""
    offline = ask(clinic, "code_search_agent", VAGUE, None)
    with scripted_openai_server(lambda _: said) as server:
        run = ask(clinic, "code_search_agent", VAGUE, server.url)

    assert run["status"] == "ok"
    assert run["answer"].startswith(offline["answer"].partition("\n\n파일: ")[0])
    assert run["bypassed"][0]["path"] == "insilico/code_search_agent"


@pytest.mark.parametrize(
    "request_", ["Where is the ward admission?", "who calls admit_patient?", "로그로 나가는 값"]
)
def test_what_the_index_knows_asks_no_model_for_words(clinic: Path, request_: str) -> None:
    """Names and words that are in the code or its documents need no rewriting."""
    with scripted_openai_server([]) as server:
        run = ask(clinic, "code_search_agent", request_, server.url)

        assert server.calls == []
    assert run["status"] == "ok"


def test_words_find_definitions_and_documents_without_a_model(clinic: Path) -> None:
    """Sections of Markdown and docstrings, with file and line."""
    run = ask(clinic, "code_search_agent", "where is the patient admission described?", None)

    assert "- `ward.py:1` function `clinic.ward.admit_patient`" in run["answer"]
    assert "- `docs/guide.md:1` `Admission`:" in run["answer"]
