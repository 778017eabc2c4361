"""Load all attached policies and notices together, or the baseline where there is none.

People hand in whole folders. A YAML that is no policy and a Markdown that is no notice are left
out and said; a policy with a mistake stops everything, because a review by half of the rules
looks like a review by all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from minerva_governance.core.detection.mask import mask_model
from minerva_governance.core.policy.policy_file import PolicyError, is_meant_as_policy, read_policy
from minerva_governance.core.policy.rule import Policy
from minerva_governance.core.report.wording import Language, Problem, Wording
from minerva_governance.core.review.notice import Clause, read_notice
from minerva_platform import YamlError
from minerva_platform.text import read_yaml

_NO_POLICY = Wording(
    "정책이 아니어서(`apiVersion: minerva/v1` 없음) 쓰지 않았습니다.",
    "not a policy (no `apiVersion: minerva/v1`); not used.",
)


@dataclass(frozen=True)
class Shelf:
    """What was loaded, and what was left out and why."""

    policies: tuple[Policy, ...]
    clauses: tuple[Clause, ...]
    problems: tuple[Problem, ...]
    is_baseline: bool


def load_shelf(
    policies: Sequence[Path], notices: Sequence[Path], *, baseline: Path, language: Language
) -> Shelf:
    """Return everything that the files hold.

    Raises:
        PolicyError: a policy has mistakes; or no YAML is a policy and one cannot be read.
    """
    loaded, broken, problems = _load_policies(policies, language)
    if broken and (not loaded or any(meant for _, meant in broken)):
        raise PolicyError([problem for error, _ in broken for problem in error.problems])
    problems += [problem for error, _ in broken for problem in error.problems]
    clauses: list[Clause] = []
    for path in notices:
        found, odd = read_notice(path, language=language)
        clauses.extend(found)
        problems.extend(odd)
    bundled = None if loaded else load_policy(baseline)
    return Shelf(
        policies=(bundled,) if bundled else tuple(loaded),
        clauses=tuple(clauses),
        problems=tuple(mask_model(problem) for problem in problems),
        is_baseline=bundled is not None,
    )


def load_policy(path: Path) -> Policy | None:
    """Return the policy in `path`, or None where the YAML is not a policy at all.

    Raises:
        PolicyError: it is one and has mistakes, or it is not plain YAML.
    """
    try:
        source = read_yaml(path)
    except YamlError as error:
        problem = Problem(file=path.name, line=error.line, message=error.reason)
        raise PolicyError([problem]) from None
    return read_policy(source)


def _load_policies(
    paths: Sequence[Path], language: Language
) -> tuple[list[Policy], list[tuple[PolicyError, bool]], list[Problem]]:
    loaded: list[Policy] = []
    broken: list[tuple[PolicyError, bool]] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            policy = load_policy(path)
        except PolicyError as error:
            broken.append((error, is_meant_as_policy(path)))
            continue
        if policy is None:
            problems.append(Problem(file=path.name, message=_NO_POLICY.said_in(language)))
        else:
            loaded.append(policy)
    return loaded, broken, problems
