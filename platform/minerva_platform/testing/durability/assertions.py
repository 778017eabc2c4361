"""Assert that a run survives: killed at every hop, decided by many at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from minerva_platform.contract.run_object import Interrupt, Run
from minerva_platform.testing.durability.processes import Move, Processes, processes
from minerva_platform.testing.durability.scenario import Decisions, EffectSeen, Outcome, Scenario

MAX_MOVES = 100
"""Moves of one repetition, after which it counts as a run that asks for ever."""
LATE = "AlreadyDecidedError"


@dataclass(frozen=True, slots=True)
class Survived:
    """A run that was killed once and went on to the same end."""

    at: str
    """Where it was killed: `the end of platform/pay/payer`."""
    run: Run
    effects: tuple[EffectSeen, ...]
    home: Path
    """Its home, where the team's doubles of the world have left what happened."""


@dataclass(frozen=True, slots=True)
class Race:
    """Decisions about one question that were made at the same moment."""

    winner: Decisions
    """The decision that counted."""
    late: int
    """The number of decisions that were refused, because another one had counted."""
    run: Run
    """The run at its end."""
    effects: tuple[EffectSeen, ...]
    home: Path


def kill_at_every_hop(scenario: Scenario, folder: Path) -> tuple[Survived, ...]:
    """Kill the run's process at the start and the end of every hop, and let the run go on.

    The run is repeated for each point, in a home of its own below `folder`: its process is killed
    there (SIGKILL), and another process goes on with the run to its end. Questions are decided by
    `scenario.decide`, from another process again. Points are the starts and ends of the run and of
    each call of a member, each question, each decision, and what `kill_point` names. The results
    are in the order of the points; look in their homes at what the run did to the world.

    Raises:
        AssertionError: a run ended otherwise than without a kill. The text names each point.
    """
    with processes(scenario, folder) as workers:
        whole = list(_move_to_end(workers, workers.new_home("whole")))
        expected, effects = scenario.same(whole[-1].its_run()), whole[-1].effects
        found: list[Survived] = []
        wrong: list[str] = []
        for part, move in enumerate(whole):
            for point in range(1, move.points + 1):
                at, last = _killed_once(workers, part, point)
                run = last.its_run()
                if scenario.same(run) != expected:
                    wrong.append(f"at {at}: {scenario.same(run)!r}")
                if _effect_keys(last.effects) != _effect_keys(effects):
                    wrong.append(f"at {at}: effects {_effect_keys(last.effects)!r}")
                found.append(Survived(at, run, last.effects, last.home))
    if wrong:
        told = "\n  ".join(wrong)
        message = f"Killed and resumed, the run ended otherwise than {expected!r}:\n  {told}"
        raise AssertionError(message)
    return tuple(found)


def approve_race(
    scenario: Scenario, decisions: Sequence[Decisions], folder: Path, *, at: str | None = None
) -> Race:
    """Give all `decisions` about one question at the same moment, from a process each.

    The question is the first one of the run, or the one that the worker at the path `at` asks.
    Other questions are decided by `scenario.decide` afterwards.

    Raises:
        AssertionError: not exactly one decision counts, another one does not learn which, or the
            run asks nothing.
    """
    with processes(scenario, folder) as workers:
        home = workers.new_home("race")
        asked = workers.do(Move(home=home)).its_run()
        question = _question(asked, at)
        moves = [
            Move(
                home=home, run_id=asked.run_id, decisions={question.id: each}, by=f"racer {number}"
            )
            for number, each in enumerate(decisions, 1)
        ]
        ended = workers.do_at_once(moves)
        won = [number for number, each in enumerate(ended) if each.error != LATE]
        late = [each for each in ended if each.error == LATE]
        if len(won) != 1 or ended[won[0]].error:
            told = "\n  ".join(f"{each.error or 'counted'} {each.message}" for each in ended)
            message = f"{len(won)} of {len(ended)} decisions counted, and it must be one:\n  {told}"
            raise AssertionError(message)
        winner = decisions[won[0]]
        _check_late(late, winner, by=moves[won[0]].by)
        *_, last = _move_to_end(workers, home, ended[won[0]])
        return Race(winner, len(late), last.its_run(), last.effects, home)


def _move_to_end(workers: Processes, home: Path, last: Outcome | None = None) -> Iterator[Outcome]:
    """Yield the moves of a run to its end, from its start or from after `last`."""
    last = last or workers.do(Move(home=home))
    yield last
    for _ in range(MAX_MOVES):
        run = last.its_run()
        if run.status != "needs_human":
            return
        last = workers.do(_answering_move(workers, run, home))
        yield last
    message = f"The run still asks after {MAX_MOVES} decisions: {last.its_run().interrupts[0].text}"
    raise AssertionError(message)


def _answering_move(workers: Processes, run: Run, home: Path, kill_at: int | None = None) -> Move:
    decide = workers.scenario.decide
    decisions = {question.id: decide(question) for question in run.interrupts}
    return Move(home=home, run_id=run.run_id, decisions=decisions, kill_at=kill_at)


def _killed_once(workers: Processes, part: int, point: int) -> tuple[str, Outcome]:
    """Repeat the run, killed in move `part` at `point`; return the point, and how it ended."""
    home = workers.new_home(f"killed-{part}-{point}")
    move = Move(home=home, kill_at=point if part == 0 else None)
    done = workers.do(move)
    for number in range(1, part + 1):
        done = workers.do(
            _answering_move(workers, done.its_run(), home, point if number == part else None)
        )
    if not done.was_killed:
        message = f"This time the run had {done.points} points, not {point}: it differs by itself."
        raise AssertionError(message)
    gone_on = workers.do(Move(home=home, run_id=done.run_id, after_kill=True))
    *_, last = _move_to_end(workers, home, gone_on)
    return done.at, last


def _effect_keys(effects: Sequence[EffectSeen]) -> list[tuple[str, str, str, str]]:
    return sorted((each.path, each.name, each.kind, each.state) for each in effects)


def _question(run: Run, at: str | None) -> Interrupt:
    for question in run.interrupts:
        if at is None or question.path == at:
            return question
    asked = ", ".join(question.path for question in run.interrupts) or "nobody"
    message = f"No question of {at or 'anybody'} is open; {asked} asks. {run.status}: {run.answer}"
    raise AssertionError(message)


def _check_late(late: Sequence[Outcome], winner: Decisions, *, by: str) -> None:
    kind = winner if isinstance(winner, str) else winner.get("type")
    for each in late:
        if each.winner.get("type") != kind or each.winner.get("by") != by:
            message = (
                f"A late decision was told that {dict(each.winner)!r} had counted, not {by}'s."
            )
            raise AssertionError(message)
