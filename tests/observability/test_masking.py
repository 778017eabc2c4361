"""Secrets and sensitive values reach no record."""

from time import process_time

import pytest
from pydantic import BaseModel, ValidationError

from minerva_observability import (
    HiddenValues,
    Masking,
    MemorySink,
    RunScope,
    record_span,
    text_to_sha256,
)
from minerva_observability.masking import LONGEST_TEXT

NONE = Masking({})


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-proj-abcDEF123_456 refused", "key [masked] refused"),
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [masked]"),
        ("ghp_0123456789abcdefABCDEF", "[masked]"),
        ("AKIAIOSFODNN7EXAMPLE", "[masked]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "[masked]"),
        ("postgresql://minerva:hunter2@db/x", "postgresql://[masked]@db/x"),
        ("api_key='0123456789'", "api_key='[masked]'"),
        ('{"password": "hunter22"}', '{"password": "[masked]"}'),
        ("OPENAI_API_KEY=abcdefgh", "OPENAI_API_KEY=[masked]"),
    ],
)
def test_secrets_are_known_by_their_form(text: str, masked: str) -> None:
    """An error message of a provider quotes the key it refused."""
    assert NONE.mask_text(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "no_route",
        "the task-list of the risk-register",
        "환자 식별 컬럼의 표준 약어를 찾지 못했습니다.",
        "3 tokens left of 4,000",
        "https://example.org:8080/a@b",
        "column PT_ID is not in the schema",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    """A mask over everything would make reasons worthless."""
    assert NONE.mask_text(text) == text


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
    began = process_time()

    text = NONE.mask_text("x" * 63_000 + secret + "y" * 10_000_000)

    assert process_time() - began < 1
    assert text == f"{'x' * LONGEST_TEXT} … ({10_065_003 - LONGEST_TEXT:,} more characters)"
    assert NONE.mask_text("a" * LONGEST_TEXT) == "a" * LONGEST_TEXT


def test_lone_surrogates_are_spelled_out() -> None:
    """A file name that is not UTF-8 gives one; UTF-8 has no place for it (P17)."""
    assert NONE.mask_text("caf\udce9 한글") == r"caf\udce9 한글"
