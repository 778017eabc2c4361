"""What `minerva policy check` finds and prints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minerva_governance.agents.policy import BASELINE
from minerva_governance.contracts import PolicySet
from minerva_governance.core.policy.lint import lint
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.reading.source_files import gather
from minerva_governance.steps.clock import local_today
from minerva_governance.steps.policy_loading import load_policies
from minerva_platform.cli_kit import printable, say, write_text
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.commands", "policy")


def check_policies(paths: Sequence[Path], *, language: Language) -> PolicySet:
    """Return the policies among `paths`, their mistakes, and what is odd in them.

    Notices are not read, and no baseline takes the place of a policy.
    """
    sources = [one for one in gather(paths, language=language).sources if one.kind == "policy"]
    policy_set = load_policies(sources, baseline=BASELINE, language=language)
    if policy_set.is_baseline:
        policy_set = policy_set.model_copy(update={"policies": ()})
    odd = lint(policy_set.policies, today=local_today(), language=language)
    names = {source.name for source in sources if source.is_named}
    others = tuple(one for one in policy_set.problems if one.file in names)
    return policy_set.model_copy(update={"problems": (*others, *odd)})


def show_checked(policy_set: PolicySet, language: Language) -> None:
    """Print each policy that loads, and say each mistake as `file:line: rule: what to do`."""
    for policy in policy_set.policies:
        fields = {
            "source": policy.source,
            "id": policy.id,
            "version": policy.version or "-",
            "rules": len(policy.rules),
            "waivers": len(policy.waivers),
        }
        write_text(printable(TEXTS("loads", language, **fields)))
    for problem in policy_set.problems:
        write_text(printable(TEXTS("odd", language, problem=str(problem))))
    for mistake in policy_set.mistakes:
        say(TEXTS("mistake", language, problem=str(mistake)))
    if not policy_set.policies and not policy_set.mistakes:
        say(TEXTS("none", language))


def to_json(policy_set: PolicySet) -> dict[str, Any]:
    """Return the same as JSON."""
    return {
        "policies": [
            {
                "id": policy.id,
                "version": policy.version,
                "source": policy.source,
                "overrides": list(policy.overrides),
                "rules": [rule.id for rule in policy.rules],
                "waivers": len(policy.waivers),
            }
            for policy in policy_set.policies
        ],
        "mistakes": [_problem_to_json(one) for one in policy_set.mistakes],
        "odd": [_problem_to_json(one) for one in policy_set.problems],
    }


def _problem_to_json(problem: Problem) -> dict[str, Any]:
    return {"file": problem.file, "line": problem.line, "message": problem.message}
