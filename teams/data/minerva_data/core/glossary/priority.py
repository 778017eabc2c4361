"""Order rows by the priority of their subject areas (rule P1).

People say "domain priority" and mean subject areas: 환자정보 before 진료정보 before 공통.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from minerva_data.core.glossary.entry import SubjectArea
from minerva_data.core.language.text import cleaned
from minerva_data.core.schema.record import Row
from minerva_platform.text import read_words

DEFAULT_PRIORITY = ("환자정보", "진료정보", "청구정보", "공통")
"""The order of subject areas where neither the request nor the configuration says another."""

WORDS = read_words("minerva_data.core.glossary", "priority")

_ORDER = re.compile(WORDS.patterns("order"), re.IGNORECASE)
_AREA = re.compile(r"[가-힣]+(?<!개인)정보")
_AREA_LIST = re.compile(WORDS.patterns("area_list"), re.IGNORECASE)
_MAX_CHARACTERS = 4_000
"""Characters of a request that are read for an order."""


def order_rows(rows: Iterable[Row], priority: Sequence[str]) -> tuple[Row, ...]:
    """Return `rows` by priority, keeping their order within a subject area.

    Areas that `priority` does not name come after it in name order, rows without one last.
    """
    return tuple(sorted(rows, key=lambda row: (rank(row.subject_area, priority), row.ordinal)))


def own_priority(priority: Iterable[str], areas: Container[str | None]) -> tuple[str, ...]:
    """Return `priority` without the bundled hospital's areas that are not among `areas`."""
    return tuple(area for area in priority if area not in DEFAULT_PRIORITY or area in areas)


def rank(area: str | None, priority: Sequence[str]) -> tuple[int, str]:
    """Return where an area stands: comparable, smaller is earlier."""
    if area is None:
        return (len(priority) + 1, "")
    return (priority.index(area), "") if area in priority else (len(priority), area)


def inversions(areas: Iterable[str | None], priority: Sequence[str]) -> int:
    """Count the pairs of rows that stand in the wrong order."""
    order = RowOrder(priority)
    for area in areas:
        order.add(area)
    return order.inversions


class RowOrder:
    """Counts the pairs in the wrong order while rows pass by; holds a number for each area."""

    def __init__(self, priority: Sequence[str]) -> None:
        self.inversions = 0
        self._priority = priority
        self._counts: Counter[tuple[int, str]] = Counter()

    def add(self, area: str | None) -> None:
        """Take the next row."""
        place = rank(area, self._priority)
        self.inversions += sum(count for other, count in self._counts.items() if other > place)
        self._counts[place] += 1


def stated_priority(
    request: str, areas: Iterable[SubjectArea], default: Sequence[str]
) -> tuple[str, ...]:
    """Return the priority that a request states, completed by `default`.

    `우선순위는 진료정보, 환자정보 순으로` names two areas and an order; a request that names
    no area, or no order, leaves the default.
    """
    text = cleaned(request[:_MAX_CHARACTERS])
    if not _ORDER.search(text):
        return tuple(default)
    named = _named_areas(text, areas)
    return tuple(dict.fromkeys((*named, *default)))


def _named_areas(text: str, areas: Iterable[SubjectArea]) -> list[str]:
    """Return the areas that `text` names, in its order.

    Beside a known area, one the glossary does not know may stand: it ends in 정보.
    """
    places: dict[str, int] = {}
    for area in areas:
        english = rf"|\b{area.english.removesuffix(' information')}\b"
        found = re.search(rf"{area.name}{english}", text, re.IGNORECASE)
        # Words like `patient` mean areas only in `patient, then billing` lists.
        if found and (area.name in text or _AREA_LIST.search(text)):
            places[area.name] = found.start()
    for other in _AREA.finditer(text) if places else ():
        places.setdefault(other.group(), other.start())
    return sorted(places, key=lambda name: places[name])
