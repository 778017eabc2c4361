"""What a message asks about the background runs of its conversation: "is it done?", 그만둬.

Without a model that has tools for it, the platform answers such messages itself. It reads them only
in a thread that owns runs, and only if they ask for nothing new: what a clause that asks names
belongs to such a question, or to a run. Words that name nothing to work on do not count, nor does a
single one beside words of the run's own request, nor a few beside "the job I started". Beside a
run's id all words are about it. Everything else is a request.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from minerva_platform.conversation.mentions import is_among, ordinal_in
from minerva_platform.conversation.routing_probe import plainly_served_by
from minerva_platform.routing.clauses.content_words import is_common
from minerva_platform.routing.clauses.wishes import asks_for_work
from minerva_platform.storage.queue.owned_runs import OwnedRun
from minerva_platform.text.grammar import is_about_form
from minerva_platform.text.language import Language
from minerva_platform.text.markdown import code_span
from minerva_platform.text.question_or_command import asks_to_know
from minerva_platform.text.texts import read_texts
from minerva_platform.text.words import read_words

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.ledger.questions import OpenQuestion

WORDS = read_words("minerva_platform.durable.background", "run_questions")
TEXTS = read_texts("minerva_platform.durable.background", "run_questions")
ORDINALS: Final = read_words("minerva_platform.conversation", "english")["mentions.ordinals"]

Wish = Literal["stop", "result", "state"]
"""What is asked for. A message that asks for two things asks for the first of these."""
_WISHES: Final[tuple[Wish, ...]] = ("stop", "result", "state")

MAX_SHOWN: Final = 10
"""Runs in one answer, the latest ones."""
MAX_CHARACTERS: Final = 120
"""Characters of a message that may be such a question. A longer one says more."""
NAMED_CHARACTERS: Final = 8
"""Characters of an id that are shown; commands take the beginning of one."""
MAX_ASIDE: Final = 3
"""Other words beside those that name a run as one."""
_MIN_ID: Final = 4
_MAX_REQUEST: Final = 60

_NUMBER: Final = re.compile(r"([1-9][0-9]?)(?:번[은을이]?)?")
_PLAIN_ORDINAL: Final = re.compile(rf"\b({'|'.join(ORDINALS)})\b")
"""`third` alone, which counts to a run if something asks about one."""
_EMPTY: Final = re.compile(
    r"\w+ly|(?:\d+|[한두세네몇])(?:시간|분|일|주)[가-힣]*|(?![가-힣]{2,}(?:해|하|시[키켜])[가-힣]*)[가-힣]+"
    r"(?:[어아여]요?|[나네]요?|니|지요?|죠|[래라자고]|줘요?|까요?|습니다|는데|니까)"
)
"""An English adverb, a span of time, a Korean predicate of no noun: 나왔니, and not 번역해줘."""
_COMMAND: Final = re.compile(r"[가-힣]{2,}(?:해|시켜)(?:라|줘요?|줄래요?|주[가-힣]*)")
"""A Korean wish for work (점검해줘), also if the run was asked for it."""
_CLAUSE: Final = re.compile(r"[^.,!?;…\n]+(?:[.,!?;…\n]+(?!\s|$)[^.,!?;…\n]*)*")
_WORD: Final = re.compile(r"[\w']+")
_LETTER: Final = re.compile(r"(?<!^)\b[A-HJ-Z]\b(?!')")
"""A letter that is a name (`contract A`), and neither an article nor a pronoun."""


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """A message about background runs: what it asks for, and the runs that it may mean."""

    wish: Wish
    runs: tuple[OwnedRun, ...]
    """Never none."""
    is_clear: bool = True
    """False if it means one of them, and does not say which."""
    names: bool = False
    """True if its words name them; "stop it" names none."""

    def stops_beside(self, waiting: "Sequence[OpenQuestion]") -> bool:
        """True if "stop it" may mean a run beside those whose questions are `waiting`."""
        asking = {each.run_id for each in waiting}
        others = (run for run in self.runs if not run.is_over and run.run_id not in asking)
        return self.wish == "stop" and not self.names and any(others)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A message without the words of such questions."""

    wish: Wish | None
    rest: tuple[str, ...]
    """The words that may name a run."""
    every: bool
    number: int | None
    is_named: bool = False
    """True if it names a run as one: "the job I started"."""


def read_run_question(
    team: "AssembledTeam",
    text: str,
    runs: Sequence[OwnedRun],
    before: str = "",
    *,
    is_next: bool = False,
) -> RunQuestion | None:
    """Return what `text` asks about `runs`, in the order of their start; None if it is a request.

    `before` is the request of the turn before: what only says which run it means, repeats its wish.
    `is_next` says that nothing was answered since the runs were started, so a question that names
    nothing can be about nothing else.
    """
    if not runs or len(text) > MAX_CHARACTERS or any(_is_whole(each) for each in team.examples):
        return None
    statement = _with_number(_parse(text), runs)
    wish = statement.wish or (_parse(before).wish if _only_names(statement, runs) else None)
    of_over: Wish = "result" if all(run.is_over for run in runs) else "state"
    if ids := [
        run for word in statement.rest if len(word) >= NAMED_CHARACTERS for run in _ids(word, runs)
    ]:
        return replace(_question(wish or of_over, ids, runs, every=statement.every), names=True)
    names = tuple(word for word in statement.rest if _names_some(word, runs, team))
    is_plain = bool(names or is_next) and "?" not in text
    if wish is None and is_plain and _any("unwanted").search(text.casefold()):
        wish = "stop"
    news = _news(text, wish, names, runs)
    if news is None or (wish is None and not (is_next and asks_to_know(text))):
        return None
    most = 0
    if statement.is_named and (names or (wish and not plainly_served_by(team, text))):
        most = MAX_ASIDE
    elif wish is not None and _any("strong").search(text.casefold()):
        most = int(bool(names) or (is_next and wish != "stop" and not is_about_form(text)))
    if len(news) > most or _is_for_others(team, text, names, runs):
        return None
    wish = wish or of_over
    named = _runs_in(replace(statement, rest=names), runs, team)
    question = _question(wish, named, runs, every=statement.every)
    is_missed = statement.number is not None and statement.number >= len(runs)
    is_guess = bool(news) and wish == "stop"  # nothing is stopped by a guess
    is_clear = question.is_clear and not (is_missed or is_guess)
    is_named = bool(names or statement.every) or statement.number is not None
    return replace(question, is_clear=is_clear, names=is_named)


def _news(
    text: str, wish: Wish | None, names: Collection[str], runs: Sequence[OwnedRun]
) -> list[str] | None:
    """Return what the clauses that ask name beside `names`; None if it asks for other work.

    What names nothing to work on does not count, but beside a word for stopping.
    """
    whole = _parse(text)
    words = whole.rest
    is_start = bool(words) and _any("starting").search(text.casefold()) is not None
    is_work = any(_COMMAND.fullmatch(each) or ("_" in each and each not in names) for each in words)
    news: list[str] = []
    for clause in () if is_start or is_work else _CLAUSE.findall(text):
        statement = _with_number(_parse(clause), runs)
        others = [word for word in statement.rest if word not in names]
        if wish != "stop":
            others = [word for word in others if not (is_common(word) or _is_empty(word))]
        if whole.wish in {None, statement.wish} or (wish != "stop" and statement.wish is not None):
            news += others
        elif others and asks_for_work(clause):
            is_work = True
    return None if is_start or is_work else news


def _is_empty(word: str) -> bool:
    return bool(_EMPTY.fullmatch(word) or _any("outcome").fullmatch(word))


def _names_some(word: str, runs: Sequence[OwnedRun], team: "AssembledTeam") -> bool:
    return any(_is_of(word, run, team) or _ids(word, [run]) for run in runs)


def asks_in_vain(team: "AssembledTeam", text: str) -> bool:
    """True if `text` asks how a background run goes, or stops one, and says nothing more.

    In a conversation without such runs it must not be taken for the request before it, which would
    be done again.
    """
    if len(text) > MAX_CHARACTERS or any(_is_whole(each) for each in team.examples):
        return False
    statement = _parse(text)
    is_aspect = any(aspect in text.casefold() for aspect in team.aspects)
    return statement.wish in {"stop", "state"} and not statement.rest and not is_aspect


def states_text(runs: Sequence[OwnedRun], all_runs: Sequence[OwnedRun], language: Language) -> str:
    """Return how `runs` go, each by the number that it has among all of the thread's."""
    shown = runs[-MAX_SHOWN:]
    if len(all_runs) == 1:
        return "\n".join(_line(run, None, language) for run in shown)
    return "\n".join(_line(run, all_runs.index(run) + 1, language) for run in shown)


def _line(run: OwnedRun, number: int | None, language: Language) -> str:
    names = {"member": run.member, "run": run.run_id[:NAMED_CHARACTERS]}
    status = "late" if (run.status, run.reason) == ("failed", "deadline") else run.status
    state = TEXTS(f"state.{status}", language)
    if number is None:
        return TEXTS("one", language, **names, state=state)
    request = code_span(" ".join(run.request[:_MAX_REQUEST].split()))
    return TEXTS("numbered", language, **names, number=number, state=state, request=request)


def _question(
    wish: Wish, candidates: Sequence[OwnedRun], runs: Sequence[OwnedRun], *, every: bool
) -> RunQuestion:
    """Return the question with the runs that it can mean: one that is stopped has to be open."""
    is_named = len(candidates) < len(runs)
    if wish == "state":
        recent = [run for run in runs if not run.is_over or not run.is_told] or runs[-1:]
        return RunQuestion(wish, tuple(candidates if is_named else recent))
    fitting = [run for run in candidates if run.is_over == (wish == "result")]
    if not fitting:
        return RunQuestion(wish, tuple(candidates if wish == "result" else candidates[-1:]))
    untold = [run for run in fitting if not run.is_told]
    if wish == "result" and len(fitting) > 1 and len(untold) == 1:
        fitting = untold
    return RunQuestion(wish, tuple(fitting), is_clear=every or len(fitting) == 1)


def _parse(text: str) -> _Statement:
    letters = _LETTER.findall(text)
    left = _LETTER.sub(" ", text).casefold().replace("’", "'")
    left = plain_text = _any("unwanted").sub(" ", left)
    wish: Wish | None = None
    for each in _WISHES:
        found = _any(each).sub(" ", left)
        if found != left:
            wish, left = wish or each, found
    if wish == "stop" and _any("negated").search(plain_text):
        wish = "state"
    number = ordinal_in(text)
    if number is None and wish is not None and (plain := _PLAIN_ORDINAL.search(left)):
        number = ORDINALS.index(plain[1])
    left = _any("ordinal").sub(" ", left) if number is not None else left
    without = _any("every").sub(" ", left)
    rest = _WORD.findall(_any("around").sub(" ", _any("named").sub(" ", without)))
    names = (letter.casefold() for letter in letters)
    is_named = _any("named").search(text.casefold()) is not None
    return _Statement(wish, (*rest, *names), without != left, number, is_named)


def _with_number(statement: _Statement, runs: Sequence[OwnedRun]) -> _Statement:
    """Return what is said; a number alone (`stop 3`, 3번 그만둬) is the one that a list shows."""
    if statement.number is not None or len(statement.rest) != 1:
        return statement
    found = _NUMBER.fullmatch(statement.rest[0])
    if found is None or any(is_among(statement.rest[0], _own_words(run)) for run in runs):
        return statement
    return replace(statement, rest=(), number=int(found[1]) - 1)


def _only_names(statement: _Statement, runs: Sequence[OwnedRun]) -> bool:
    """True if a message only says which run it means, by its place or its id."""
    if statement.rest:
        return all(_ids(word, runs) for word in statement.rest)
    return statement.number is not None or statement.every


def _is_whole(text: str) -> bool:
    """True if a member's own example is such a question: then the member gets it."""
    statement = _parse(text) if len(text) <= MAX_CHARACTERS else None
    return statement is not None and statement.wish is not None and not statement.rest


def _runs_in(
    statement: _Statement, runs: Sequence[OwnedRun], team: "AssembledTeam"
) -> Sequence[OwnedRun]:
    """Return the runs that the words name; all if they name none."""
    if statement.number is not None:
        return [runs[statement.number]] if statement.number < len(runs) else runs
    ids = [run for word in statement.rest for run in _ids(word, runs)]
    asked = [run for run in runs if all(_is_of(word, run, team) for word in statement.rest)]
    return ids or asked or runs


def _ids(word: str, runs: Sequence[OwnedRun]) -> list[OwnedRun]:
    """Return the runs whose ids begin with `word`."""
    return [run for run in runs if len(word) >= _MIN_ID and run.run_id.startswith(word)]


def _is_of(word: str, run: OwnedRun, team: "AssembledTeam") -> bool:
    """True if `word` names a run: it is in its request, or it is a word of its member's work."""
    if is_among(word, _own_words(run)):
        return True
    tells_none_apart = len(word) > 1 and not word.isdigit()
    return tells_none_apart and is_among(word, _work_words(team, run.path))


def _own_words(run: OwnedRun) -> frozenset[str]:
    return _words(f"{run.request} {run.member.replace('_', ' ')}")


def _work_words(team: "AssembledTeam", path: str) -> frozenset[str]:
    """Return the words that describe the member at `path`, and of its examples; of a root, none."""
    agent = team
    if "/" not in path:
        return frozenset()
    for part in path.split("/")[1:]:
        found = getattr(agent, "by_name", {}).get(part.partition("#")[0])
        if found is None:  # it is not there any more
            return frozenset()
        agent = found
    return _words(" ".join((agent.description, *agent.examples)))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _is_for_others(
    team: "AssembledTeam", text: str, names: Collection[str], runs: Sequence[OwnedRun]
) -> bool:
    """True if the examples plainly choose others, and a word is none of a run's own request."""
    own = frozenset[str]().union(*map(_own_words, runs))
    if all(is_among(word, own) or _ids(word, runs) for word in names):
        return False
    heads = {run.path.split("/")[1].partition("#")[0] for run in runs if run.is_of_member}
    return bool(frozenset(plainly_served_by(team, text) or ()) - heads)


@cache
def _any(key: str) -> re.Pattern[str]:
    """Return the pattern of the words `key` of both languages, in lower case."""
    english, korean = WORDS.patterns(f"{key}.en"), WORDS.patterns(f"{key}.ko")
    return re.compile(rf"\b(?:{english})(?![\w'])|(?<![가-힣])(?:{korean})(?![가-힣])")
