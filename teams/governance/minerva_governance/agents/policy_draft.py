"""Propose draft rules from prose, and write them only after a person has approved them."""

import json
from collections.abc import Sequence
from typing import Any, Final

from minerva_governance.answers.policy_answer import TEXTS
from minerva_governance.core.policy.draft import Draft, policy_text, wrong_with
from minerva_platform import Artifact, RejectedError, ask_approval
from minerva_platform.text import Language, read_words

TOOL: Final = "write_policy"
"""What the person approves, as the question names it."""
DRAFT: Final = "policy-draft.yaml"
_MAX_RULE_CHARACTERS: Final = 2_000
_WORDS = read_words("minerva_governance.answers", "policy_answer")


def asks_for_draft(request: str) -> bool:
    """True if the request wants rules written from prose."""
    return _WORDS.pattern("drafts").search(request) is not None


def decided(draft: Draft, language: Language) -> tuple[str, tuple[Artifact, ...]]:
    """Ask a person about the drafted rules; return what to say, and the file if one is wanted."""
    told = [TEXTS("draft.refusals", language, count=len(draft.refused))] if draft.refused else []
    told += [f"- {reason}" for reason in draft.refused]
    if not draft.rules:
        return "\n".join([TEXTS("draft.nothing", language), *told]), ()
    proposed = {rule.id: rule.text for rule in draft.rules}
    try:
        chosen = ask_approval(
            TEXTS("draft.question", language, count=len(proposed), file=DRAFT),
            tool=TOOL,
            arguments=proposed,
            schema=_form(proposed),
            check=lambda edited: _problem(edited, language),
        )
    except RejectedError:
        return "\n".join([TEXTS("draft.rejected", language), *told]), ()
    rules = [str(text) for text in chosen.values()]
    artifact = Artifact(name=DRAFT, media_type="application/yaml", content=policy_text(rules))
    said = TEXTS("draft.written", language, count=len(rules), file=DRAFT)
    return "\n".join([said, *told]), (artifact,)


def _form(proposed: dict[str, str]) -> dict[str, Any]:
    """Return the schema of an edit: the text of each rule; one that is left out is not written."""
    text = {"type": "string", "minLength": 2, "maxLength": _MAX_RULE_CHARACTERS}
    return {
        "type": "object",
        "properties": {name: {**text, "default": rule} for name, rule in proposed.items()},
        "additionalProperties": False,
    }


def _problem(edited: dict[str, Any], language: Language) -> str:
    """Return what keeps the edited rules from loading together, or nothing."""
    return wrong_with(_texts(edited.values()), language)


def _texts(values: Any) -> Sequence[str]:
    return [value if isinstance(value, str) else json.dumps(value) for value in values]
