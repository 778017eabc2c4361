"""What a conversation has done to the world: told to whoever asks, and never done again unasked.

After an effect a message is a request only if it plainly is one. Questions, complaints and words
that bring nothing new are answered from the kept effects, and no member works. A request that
brings nothing new goes its way, but each effect of the same name asks a person first.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from minerva_platform.answer.effects import dated_text
from minerva_platform.contract.result import TeamOutput
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Effect
from minerva_platform.conversation.mentions import is_among, thing_words
from minerva_platform.conversation.pointing_words import ReferenceKind, find_reference, language_in
from minerva_platform.conversation.routing_probe import plainly_served_by, served_by
from minerva_platform.conversation.small_talk import small_talk_of
from minerva_platform.planning.roster import only_acts
from minerva_platform.routing.clauses.wishes import commands
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.text.question_or_command import asks_to_know
from minerva_platform.text.texts import read_texts
from minerva_platform.text.words import read_words

if TYPE_CHECKING:
    from minerva_platform.contract.agent import BaseAgent
    from minerva_platform.contract.assembled_team import AssembledTeam

WORDS = read_words("minerva_platform.conversation", "done_before")
TEXTS = read_texts("minerva_platform.conversation", "done_before")

MAX_TOLD: Final = 10
"""Effects that one answer tells, the latest ones."""
MAX_ELLIPSIS: Final = 5
"""Words of a message that names something else and nothing more."""
_HARDLY: Final = 3
"""Of so many things one is new in words that mean an earlier effect once more, at most."""
_NAME: Final = re.compile(r"(?<![\w.])[A-Z][\w-]*")
_PART: Final = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True, slots=True)
class EarlierEffects:
    """The effects of a conversation, in the order of their ends, and the turns around them."""

    effects: tuple[Effect, ...] = ()
    turns: tuple[KeptTurn, ...] = ()
    """The last turns, the latest one first, whatever became of them."""
    subject: KeptTurn | None = None
    """The latest turn that a follow-up may be about."""

    @property
    def latest(self) -> KeptTurn | None:
        """The turn before this one."""
        return self.turns[0] if self.turns else None

    @property
    def recent(self) -> tuple[Effect, ...]:
        """Those of the latest turn that worked, unless it worked on something else.

        Turns that were answered without work, and those that wait for a person, lie between.
        """
        for turn in self.turns:
            own = [effect for effect in self.effects if effect.run_id == turn.run_id]
            there = [effect for effect in self.effects if below_root(effect.path) in turn.members]
            if own or there:
                return tuple(own or (each for each in there if each.run_id == there[-1].run_id))
            if turn.members and turn.status != "needs_human":
                break
        return ()

    @property
    def turn(self) -> KeptTurn | None:
        """The turn of the recent effects, or the subject."""
        runs = {effect.run_id for effect in self.recent}
        return next((turn for turn in self.turns if turn.run_id in runs), self.subject)

    @property
    def members(self) -> tuple[str, ...]:
        """The workers that did the recent ones, by their paths below the root."""
        return tuple(dict.fromkeys(below_root(each.path) for each in self.recent))

    def brings_new(self, text: str) -> bool:
        """True if `text` names something that the recent effects and their words do not."""
        return any(self.new_things(text))

    def new_things(self, text: str) -> list[bool]:
        """Return of each thing in `text` whether it is new."""
        topics = (each.topic for each in (self.turn, self.subject) if each is not None)
        known = frozenset(
            part for each in (*topics, *map(_said_of, self.recent)) for part in _parts(each)
        )
        rest = WORDS.pattern("around").sub(" ", text)
        return [not is_among(part, known) for part in _things(rest)]

    def names_another(self, text: str) -> bool:
        """True if `text` asks the same of something else (what about 4, 이대리한테도).

        A number is something else, and so is a name: an English one by its capital letter, a Korean
        one by its particle.
        """
        numbers = " ".join(re.findall(r"\d+", text))
        if self.brings_new(numbers):
            return True
        if WORDS.pattern("again").search(text):
            return False
        is_marked = WORDS.pattern("another").search(text) is not None
        named = _another().findall(text)
        is_short = len(text.split()) <= MAX_ELLIPSIS
        if is_short and (is_marked or named):
            return self.brings_new(text)
        names = _NAME.findall(text) if is_marked or is_short else []
        return self.brings_new(" ".join((*names, *named)))

    def find_suspects(self, text: str, *, refers: bool) -> tuple[str, ...]:
        """Return the names of effects that ask a person first, whatever they are done to.

        `refers` says that the words refer back: then they may mean what was done.
        """
        if self.names_another(text):
            return ()
        new = self.new_things(text)
        doubts = refers or WORDS.pattern("doubt").search(text) is not None
        if sum(new) * _HARDLY > len(new) and not doubts:
            return ()
        return tuple(dict.fromkeys(effect.name for effect in self.recent))


def told_output(team: "AssembledTeam", task: Task, earlier: EarlierEffects) -> TeamOutput | None:
    """Return what was done, if that is all that can be said to `task`; None if it is a request."""
    text, recent = task.request, earlier.recent
    is_courtesy = team.shape is None and small_talk_of(text) in {"courtesy", "greeting"}
    if not earlier.effects or task.members or is_courtesy:
        return None
    acting = {below_root(effect.path) for effect in earlier.effects}
    elsewhere = _serving_elsewhere(team, text, acting)
    if elsewhere and not (recent and all(map(only_acts, elsewhere))):
        return None
    about: tuple[Effect, ...] = ()
    if asks_to_know(text, by_mark=not earlier.names_another(text)) or small_talk_of(text) == "who":
        about = recent or _of_chosen(team, text, earlier.effects)
    elif not _is_request(team, text, earlier) or (elsewhere and not earlier.brings_new(text)):
        about = recent
    return _output(task, about, earlier) if about else None


def _is_request(team: "AssembledTeam", text: str, earlier: EarlierEffects) -> bool:
    if earlier.names_another(text):
        return True
    is_new, said = earlier.brings_new(text), find_reference(text, team.aspects)
    if WORDS.pattern("again").search(text):
        return not is_new and language_in(text) is None
    refers = said.kind is ReferenceKind.POINTS or language_in(text) is not None
    if said.is_form or said.is_filter or (refers and not is_new):
        return False
    return commands(text, team.examples)


def _serving_elsewhere(
    team: "AssembledTeam", text: str, acting: Iterable[str]
) -> tuple["BaseAgent[Any, Any]", ...]:
    """Return the members, at the level where they are, that serve `text` and have not acted.

    They are those that the examples plainly choose.
    """
    found: list[BaseAgent[Any, Any]] = []
    for name in plainly_served_by(team, text) or ():
        inside = [path.partition("/")[2] for path in acting if f"{path}/".startswith(f"{name}/")]
        agent: Any = team.by_name[name]
        if not inside:
            found.append(agent)
        elif agent.is_team:
            found += _serving_elsewhere(agent, text, inside)
    return tuple(found)


def _of_chosen(team: "AssembledTeam", text: str, effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Return the effects of the members that the examples choose; none if they choose others."""
    chosen = served_by(team, text) or frozenset()
    found = tuple(each for each in effects if below_root(each.path).partition("/")[0] in chosen)
    return found if chosen <= {below_root(each.path).partition("/")[0] for each in found} else ()


def _output(task: Task, about: Sequence[Effect], earlier: EarlierEffects) -> TeamOutput:
    language = language_in(task.request) or task.language
    told = dated_text(about[-MAX_TOLD:], language)
    latest = earlier.latest
    is_of_latest = any(latest and each.run_id == latest.run_id for each in about)
    if latest is not None and is_of_latest and TEXTS.has(latest.status):
        told += f"\n\n{TEXTS(latest.status, language, run_id=latest.run_id)}"
    return TeamOutput(reason="about", summary=TEXTS("told", language, effects=told))


def below_root(path: str) -> str:
    """Return the path of a call below its root, without the numbers of repeated calls."""
    return "/".join(part.partition("#")[0] for part in path.split("/")[1:])


def _said_of(effect: Effect) -> str:
    """Return the words that name an effect."""
    return " ".join((effect.name, *effect.arguments, *map(str, effect.arguments.values())))


def _parts(text: str) -> list[str]:
    """Return the words and the numbers of `text`, in lower case."""
    return _PART.findall(text.casefold())


def _things(text: str) -> Iterator[str]:
    """Yield the words of `text` that name something, and its numbers."""
    written = thing_words(text, ())
    for word in written:
        yield from _parts(word.text)
    for word in reversed(written):  # beside identifiers, ordinary words are no things
        text = f"{text[: word.start]} {text[word.end :]}"
    for word in thing_words(text, ()):
        yield from _parts(word.text)
    yield from re.findall(r"\d+", text)


@cache
def _another() -> re.Pattern[str]:
    return re.compile(rf"([가-힣A-Za-z]{{2,}}?)(?:{WORDS.patterns('another_end')})(?=\W|$)")
