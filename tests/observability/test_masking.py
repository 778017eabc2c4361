"""Secrets and sensitive values reach no record."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from pydantic import BaseModel, ValidationError

from minerva_observability import Masking, MemorySink, RunScope, Span, record_span
from minerva_observability.masking import HiddenValues, text_to_sha256
from minerva_observability.masking.masking import MAX_TEXT_CHARACTERS
from minerva_observability.records.encoding import to_json

NONE = Masking({})


def test_secrets_of_the_environment_are_known_by_their_value() -> None:
    """By the variable's name: `…_KEY`, `…_TOKEN`, `…_SECRET`, `…PASSWORD`."""
    masking = Masking(
        {
            "LLM_API_KEY": "canary-one",
            "gh_token": "canary-two",
            "APP_SECRET": "canary-three",
            "PGPASSWORD": "canary-four",
            "HOME": "/home/canary",
            "SHORT_KEY": "on",
        },
    )

    text = masking.mask_text("canary-one canary-two canary-three canary-four /home/canary on")

    assert text == "[masked] [masked] [masked] [masked] /home/canary on"


def test_a_key_set_before_a_run_is_known_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run reads the environment anew; nobody has to remember to."""
    sink = MemorySink()
    monkeypatch.setenv("LATE_API_KEY", "canary-late")

    with RunScope(recorder=sink).bound(), record_span(kind="agent", path="p") as span:
        span.set(reason="refused canary-late")

    assert sink.records[0].reason == "refused [masked]"


def test_sensitive_fields_are_masked_under_their_name() -> None:
    """However deep they lie, and however an exception spells them."""
    hidden = HiddenValues()
    hidden.add("patient", {"name": "홍길동", "ids": ["900101-1234568"], "age": 41})
    hidden.add("note", "line\nbreak")

    text = NONE.mask_text(r"홍길동 900101-1234568 41 \ud64d\uae38\ub3d9 'line\nbreak'", hidden)

    assert text == "[masked patient] [masked patient] 41 [masked patient] '[masked note]'"


@pytest.mark.parametrize(
    "spell",
    [
        str,
        repr,
        ascii,
        json.dumps,
        partial(json.dumps, ensure_ascii=False),
        quote,
        quote_plus,
        lambda text: b64encode(text.encode()).decode().rstrip("="),
        lambda text: urlsafe_b64encode(f"u:{text}:x".encode()).decode(),
        lambda text: b64encode(f"ab:{text}".encode()).decode(),
    ],
)
@pytest.mark.parametrize("value", ["홍길동 과장", 'o\'neil "x"\n\\', "plainword77", "a/b?c=d&e"])
def test_a_hidden_value_is_known_in_every_spelling(value: str, spell: Callable[[str], str]) -> None:
    """Exceptions quote values as they came, as code, as JSON, as addresses and in base64."""
    hidden = HiddenValues()
    hidden.add("who", value)

    shown = NONE.mask_text(f"-- {spell(value)} --", hidden)

    assert (spell(value)[4:-4] or value) not in shown
    assert "[masked who]" in shown


def test_what_is_masked_is_masked_once() -> None:
    """A failure passes through here at each level above it."""
    hidden = HiddenValues()
    hidden.add("patient", ["patient", "masked", "김철수"])
    told = "password='hunter22' of patient 김철수, api_key=0123456789"

    once = NONE.mask_text(told, hidden)

    assert once == "password='[masked]' of [masked patient] [masked patient], api_key=[masked]"
    assert NONE.mask_text(once, hidden) == once


def test_one_secret_inside_another_saves_neither() -> None:
    """All are looked for in the text as it came: no rest of a key is left beside a mark."""
    hidden = HiddenValues()
    hidden.add("project", "proj")
    hidden.add("note", "the note has ghp_0123456789abcdefABCDEF inside")

    assert NONE.mask_text("sk-proj-abcdef", hidden) == "[masked]"
    text = NONE.mask_text("! the note has ghp_0123456789abcdefABCDEF inside !", hidden)
    assert text == "! [masked note] !"


def test_a_long_value_is_hidden_where_a_text_is_cut() -> None:
    """A record keeps the beginning of a message; so may whoever raised it."""
    hidden = HiddenValues()
    note = "".join(f"line {n} of 홍길동; " for n in range(9_000))
    hidden.add("note", note)

    for told in (note, note[:5_500]):
        shown = NONE.mask_text(f"refused: {told}", hidden)
        assert shown.count("홍길동") <= 30
        assert shown.startswith("refused: [masked note][masked note]")


def test_secrets_in_addresses_and_headers_of_the_environment_are_known() -> None:
    """A driver quotes the password alone, without the address it was taken from."""
    masking = Masking(
        {
            "DATABASE_URL": "postgresql://me:canary-one@db/x",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer canary-two,x-a=b",
            "HTTPS_PROXY": "http://proxy:3128",
            "PWD": "/home/me",
            "DEPLOY_KEY": "first line, which is long\nsecond line, which is too\n",
        }
    )

    text = masking.mask_text("canary-one canary-two proxy /home/me: second line, which is too")

    assert text == "[masked] [masked] proxy /home/me: [masked]"


def test_a_key_that_is_set_while_a_run_goes_on_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker may read its settings first when it is called."""
    sink = MemorySink()
    with RunScope(recorder=sink).bound(), record_span(kind="agent", path="p") as span:
        monkeypatch.setenv("LATER_API_KEY", "canary-later")
        span.set_error(ValueError("refused canary-later"))

    assert sink.records[0].error == {"type": "ValueError", "message": "refused [masked]"}


KEY = "sk-canary-0123456789"


def test_no_field_of_a_record_is_left_out() -> None:
    """A hostile graph names its nodes, models and exceptions as it likes."""
    sink = MemorySink()
    names = dict.fromkeys(
        ("team", "agent_name", "node", "reason", "router", "arm", "model", "request_sha256"), KEY
    )
    error = {"type": f"{KEY}Error", "message": KEY, "where": f"{KEY}.py:8, in {KEY}"}
    with (
        RunScope(recorder=sink, thread_id=KEY).bound(),
        record_span(kind="tool", path=f"platform/{KEY}", **names) as span,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # one by one they fit
    ):
        span.set(error=error, decision={KEY: {"deep": [KEY, Path(KEY)]}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose

    record = sink.records[0]
    assert "canary" not in repr(record) + repr(span.fields)
    assert (record.path, record.node, record.thread_id) == ("platform/[masked]", *["[masked]"] * 2)


def test_who_watches_a_run_sees_no_secret_either() -> None:
    """Live trees are drawn of spans that have only begun."""
    seen: list[str] = []

    class Watcher(MemorySink):
        def started(self, span: Span) -> None:
            seen.append(f"{span.path} {span.fields}")

    with RunScope(recorder=Watcher()).bound(), record_span(kind="node", path=KEY, node=KEY):
        pass

    assert seen == ["[masked] {'node': '[masked]'}"]


def test_names_of_teams_stay_readable_whatever_is_sensitive() -> None:
    """Somebody's field may say "data"; rows are found and grouped by their names all the same."""
    sink = MemorySink()
    scope = RunScope(recorder=sink)
    scope.hide("what", ["data", "홍길동"])

    with scope.bound(), record_span(kind="node", path="platform/data", node="for_홍길동") as span:
        span.set_error(ValueError("data"))

    record = sink.records[0]
    assert (record.path, record.node) == ("platform/data", "for_[masked what]")
    assert record.error == {"type": "ValueError", "message": "[masked what]"}


@pytest.mark.slow
def test_a_row_has_a_bounded_size() -> None:
    """An agent that is called a megabyte must not be paid for in every row."""
    sink, huge = MemorySink(), "환자" * 500_000
    names = dict.fromkeys(("team", "agent_name", "node", "reason", "model", "router"), huge)
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(2_000):
        inner["more"] = inner = {}
    decision = {"scores": {f"m{n}": n for n in range(1_000_000)}, "deep": deep, huge: huge}
    with (
        RunScope(recorder=sink).bound(),
        record_span(kind="route", path=huge, **names) as span,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # one by one they fit
    ):
        span.set(decision=decision, attempt=10**5_000, cost="much")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
        span.set_error(type("E" * 1_000_000, (ValueError,), {})(huge))

    record = sink.records[0]
    assert record.node == f"{huge[:200]} … (999,800 more characters)"
    assert (record.attempt, record.cost) == (None, None)
    assert record.decision is not None
    assert record.decision["scores"]["…"] == "998,002 more"
    assert len(to_json(record.to_json_dict())) < 200_000


def test_a_validation_error_does_not_quote_its_input() -> None:
    """Pydantic repeats the start and the end of a long value: that is the user's data."""

    class Input(BaseModel):
        number: int

    with pytest.raises(ValidationError) as caught:
        Input.model_validate({"number": "canary " * 20})

    message = NONE.mask_text(str(caught.value))
    assert "canary" not in message
    assert "input_value=[masked], input_type=str" in message


def test_a_decision_keeps_the_digest_of_a_request_only() -> None:
    """Records know a request by its SHA-256 (P19)."""
    sink = MemorySink()
    decision = {"goals": [{"member": "data", "request": "홍길동의 기록"}], "scores": {"data": 0.9}}

    with (
        RunScope(recorder=sink, masking=NONE).bound(),
        record_span(kind="route", path="p", decision=decision),
    ):
        pass

    assert sink.records[0].decision == {
        "goals": [{"member": "data", "request_sha256": text_to_sha256("홍길동의 기록")}],
        "scores": {"data": 0.9},
    }


def test_a_run_hides_a_value_in_parents_too() -> None:
    """The error that quotes it travels up through spans which never knew the field."""
    sink = MemorySink()
    scope = RunScope(recorder=sink, masking=NONE)

    scope.hide("patient_name", "canary")
    with (
        pytest.raises(ValueError, match="canary"),
        scope.bound(),
        record_span(kind="run", path="p"),
        record_span(kind="agent", path="p/a"),
    ):
        raise ValueError("no such patient: canary")  # noqa: EM101, TRY003  # any message

    assert [record.error and record.error["message"] for record in sink.records] == [
        "no such patient: [masked patient_name]",
    ] * 2


def test_long_texts_are_cut_and_say_so() -> None:
    """10 MB of an error message cost a bounded time, and no half of a secret slips out."""
    secret = "sk-" + "a" * 2_000

    text = NONE.mask_text("x" * 63_000 + secret + "y" * 10_000_000)

    assert (
        text
        == f"{'x' * MAX_TEXT_CHARACTERS} … ({10_065_003 - MAX_TEXT_CHARACTERS:,} more characters)"
    )
    assert NONE.mask_text("a" * MAX_TEXT_CHARACTERS) == "a" * MAX_TEXT_CHARACTERS


def test_lone_surrogates_are_spelled_out() -> None:
    """A file name that is not UTF-8 gives one; UTF-8 has no place for it (P17)."""
    assert NONE.mask_text("caf\udce9 한글") == r"caf\udce9 한글"
