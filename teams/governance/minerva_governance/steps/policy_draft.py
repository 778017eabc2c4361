"""Propose draft rules from prose, and write them only after a person has approved them."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from minerva_governance.answers.policy_answer import TEXTS
from minerva_governance.core.policy.draft import Draft
from minerva_governance.core.policy.policy import TEXTS as POLICY_TEXTS
from minerva_governance.core.policy.policy_file import API_VERSION, PolicyError, read_policy
from minerva_platform import Artifact, RejectedError, YamlError, ask_approval
from minerva_platform.text import Language, read_words, read_yaml

TOOL: Final = "write_policy"
"""What the person approves, as the question names it."""
DRAFT: Final = "policy-draft.yaml"
_CHECKED: Final = "draft.yaml"
_MAX_RULE_CHARACTERS: Final = 2_000
_WORDS = read_words("minerva_governance.answers", "policy_answer")


def asks_for_draft(request: str) -> bool:
    """True if the request wants rules written from prose."""
    return _WORDS.says("drafts", request)


def ask_about_draft(draft: Draft, language: Language) -> tuple[str, tuple[Artifact, ...]]:
    """Ask a person about the drafted rules; return what to say, and the file if one is wanted."""
    sentences = (
        [TEXTS("draft.refusals", language, count=len(draft.refused))] if draft.refused else []
    )
    sentences += [f"- {reason}" for reason in draft.refused]
    if not draft.rules:
        return "\n".join([TEXTS("draft.nothing", language), *sentences]), ()
    rule_texts = {rule.id: rule.text for rule in draft.rules}
    try:
        chosen = ask_approval(
            TEXTS("draft.question", language, count=len(rule_texts), file=DRAFT),
            tool=TOOL,
            arguments=rule_texts,
            schema=_form(rule_texts),
            check=lambda edits: _problem(edits, language),
        )
    except RejectedError:
        return "\n".join([TEXTS("draft.rejected", language), *sentences]), ()
    rules = [str(text) for text in chosen.values()]
    artifact = Artifact(name=DRAFT, media_type="application/yaml", content=policy_text(rules))
    said = TEXTS("draft.written", language, count=len(rules), file=DRAFT)
    return "\n".join([said, *sentences]), (artifact,)


def policy_text(rules: Sequence[str]) -> str:
    """Return a policy file of drafted rules, each a line of JSON, which YAML takes."""
    head = f'apiVersion: {API_VERSION}\npolicy: {{id: draft, version: "0"}}\nrules:\n'
    return head + "".join(f"- {rule}\n" for rule in rules)


def wrong_with(rules: Sequence[str], language: Language) -> str:
    """Return why a file of `rules` would not load, or "": the check is that of every policy."""
    if any("\n" in rule or not rule.startswith("{") for rule in rules):
        return POLICY_TEXTS("draft.one_line", language)
    with TemporaryDirectory() as folder:
        path = Path(folder) / _CHECKED
        path.write_text(policy_text(rules), encoding="utf-8")
        try:
            read_policy(read_yaml(path), _CHECKED, language=language)
        except PolicyError as error:
            return " ".join(problem.message for problem in error.problems)
        except YamlError as error:
            return error.reason
    return ""


def _form(rule_texts: dict[str, str]) -> dict[str, Any]:
    """Return the schema of an edit: the text of each rule; one that is left out is not written."""
    text = {"type": "string", "minLength": 2, "maxLength": _MAX_RULE_CHARACTERS}
    return {
        "type": "object",
        "properties": {name: {**text, "default": rule} for name, rule in rule_texts.items()},
        "additionalProperties": False,
    }


def _problem(edits: dict[str, Any], language: Language) -> str:
    """Return what keeps the edited rules from loading together, or nothing."""
    return wrong_with(_texts(edits.values()), language)


def _texts(values: Any) -> Sequence[str]:
    return [value if isinstance(value, str) else json.dumps(value) for value in values]
