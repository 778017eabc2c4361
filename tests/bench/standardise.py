"""How well and how fast names are standardised, on the public standard if it is there.

The public standard is not ours to ship. Its files are published by the Korean Ministry of the
Interior and Safety (공공데이터 공통표준, licence KOGL type 1); `MINERVA_GLOSSARY_DATA` names the
folder that holds the 2020 workbook (*.xlsx) and the terms of a later edition (*.csv).
"""

import csv
import hashlib
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory, TemporaryFile

from minerva_data.core.audit.table import tables_of_rows
from minerva_data.core.glossary.alignment import TABLE, LearnedWord, learn_words
from minerva_data.core.glossary.domain import choose_domains
from minerva_data.core.glossary.entry import Origin, Term, Word
from minerva_data.core.glossary.glossary import Glossary, seed_glossary
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.export import MAPPING_HEADER, row_values
from minerva_data.core.schema.record import Item
from minerva_data.core.store.store import GlossaryStore
from minerva_platform.text import write_csv

DATA = "MINERVA_GLOSSARY_DATA"
SIZES = (1_000, 10_000, 100_000)
MIN_RATE = 1_000
MAX_MIB = 300
MIN_PRECISION, MIN_COVERAGE = 0.98, 0.80
WARM_UP = 500
_HELD_OUT = 51  # of 256 values of a hash's first byte: a fifth


def main() -> int:
    """Print a section for each file that is there, and the speed with the largest glossary."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"{DATA} is not set: only the bundled glossary is measured. Set it to a folder with")
        print(
            "the public standard (공공데이터 공통표준): the 2020 workbook .xlsx, the terms .csv.\n"
        )
    files = sorted(Path(folder).iterdir()) if folder else []
    for path in (file for file in files if file.suffix == ".xlsx"):
        recompose(path)
    largest: Path | None = None
    for path in (file for file in files if file.suffix == ".csv"):
        hold_out(path)
        largest = path
    # A process of its own: what was measured before would count as its memory.
    command = (sys.executable, __file__, "speed", *([str(largest)] if largest else []))
    status = subprocess.run(command, check=False).returncode
    typed(largest)
    return status


def recompose(path: Path) -> None:
    """Compose each term of a workbook from its own words alone, and choose its domain."""
    glossary = imported(path)
    bare = Glossary(
        words=glossary.words.values(),
        domains=glossary.domains.values(),
        terms=(),
        aliases=glossary.aliases,
    )
    lookup = Lookup(bare)
    terms = [term for term in glossary.terms.values() if not term.is_retired]
    found = [lookup.best(term.name) for term in terms]
    right = sum(
        best is not None and best.physical_name == term.physical_name
        for best, term in zip(found, terms, strict=True)
    )
    domains = [_domains(term, glossary) for term in terms]
    first = sum(some[:1] == [term.domain] for some, term in zip(domains, terms, strict=True))
    decided = [(some, term) for some, term in zip(domains, terms, strict=True) if len(some) == 1]
    agreeing = sum(some == [term.domain] for some, term in decided)
    print(f"{path.name}: {len(glossary.words)} words, {len(glossary.domains)} domains")
    print(f"  recomposed from its own words   {right} of {len(terms)} terms")
    print(
        f"  domain as in the table          {first} of {len(terms)}, as a choice's first or a fact"
    )
    print(f"  domain as a fact                {agreeing} of {len(decided)} as in the table\n")


def _domains(term: Term, glossary: Glossary) -> list[str | None]:
    word = glossary.class_word_of(term.name)
    return [domain.name for domain in choose_domains(word, glossary)] if word else []


def hold_out(path: Path) -> None:
    """Learn the words from four fifths of a file's terms, and compose the other fifth."""
    began = time.process_time()
    glossary = imported(path)
    seconds = time.process_time() - began
    terms = [term for term in glossary.terms.values() if not term.is_retired]
    retired = len(glossary.retired_terms) + len(glossary.terms) - len(terms)
    print(f"{path.name}: {len(terms):,} current terms, {retired} retired, {seconds:.1f} CPU s")
    print(f"  {'held out':<10}{'asked':>7}{'right':>7}{'wrong':>7}{'open':>7}"
          f"{'precision':>11}{'coverage':>10}")  # fmt: skip
    for part in range(3):
        held = [term for term in terms if _is_held_out(term, part)]
        known = [term for term in terms if not _is_held_out(term, part)]
        counts = _composed(known, held, glossary)
        answered = counts["right"] + counts["wrong"]
        precision, coverage = counts["right"] / answered, counts["right"] / len(held)
        cells = "".join(f"{counts[name]:>7}" for name in ("right", "wrong", "open"))
        print(
            f"  {f'fifth {part + 1}':<10}{len(held):>7}{cells}{precision:>11.3f}{coverage:>10.3f}"
        )
    print(f"  target{'':<32}{MIN_PRECISION:>11.3f}{MIN_COVERAGE:>10.3f}\n")


def _is_held_out(term: Term, part: int) -> bool:
    first = hashlib.sha256(term.name.encode()).digest()[0]
    return part * _HELD_OUT <= first < (part + 1) * _HELD_OUT


def _composed(known: Sequence[Term], held: Sequence[Term], glossary: Glossary) -> Counter[str]:
    words = _to_words(learn_words(known, glossary.domains))
    lookup = Lookup(Glossary(words=words, domains=glossary.domains.values(), terms=known))
    counts: Counter[str] = Counter()
    for term in held:
        best = lookup.best(term.name)
        is_right = best is not None and best.physical_name == term.physical_name
        counts["open" if best is None else "right" if is_right else "wrong"] += 1
    return counts


def _to_words(learned: Iterable[LearnedWord]) -> Iterator[Word]:
    """Yield learned words as entries of a glossary."""
    for row, word in enumerate(learned, start=1):
        origin = Origin("learned", TABLE, row, f"seen in {word.seen} terms")
        kind = word.domain_class
        yield Word(word.name, word.abbreviation, "", kind is not None, kind, None, origin)


def imported(path: Path) -> Glossary:
    """Return the glossary in a file, through the store as a person imports it."""
    with TemporaryDirectory() as folder, GlossaryStore(Path(folder) / "glossary.db") as store:
        import_file(store, path, Wanted(name="bench", kind="public"))
        return store.glossary(["bench"])


def speed(path: Path | None) -> None:
    """Standardise more and more columns, each name written in one of the ways people write."""
    glossary = imported(path) if path else seed_glossary()
    lookup = Lookup(glossary)
    print(f"standardised with {len(glossary.terms):,} terms, {len(glossary.words):,} words")
    began = time.process_time()
    for item in columns(glossary, WARM_UP, seed=1):
        lookup.recommend(item)
    print(f"  warm-up {time.process_time() - began:.1f} CPU s; {_mib():.0f} MiB")
    print(f"  {'columns':>8}{'CPU s':>8}{'columns/CPU s':>15}{'peak MiB':>10}")
    for size in SIZES:
        began = time.process_time()
        found = map(lookup.recommend, columns(glossary, size, seed=size))
        with TemporaryFile("w", encoding="utf-8") as file:
            rows = chain.from_iterable(tables_of_rows(found, style="UPPER_SNAKE"))
            write_csv(file, MAPPING_HEADER, map(row_values, rows))
        seconds = time.process_time() - began
        print(f"  {size:>8,}{seconds:>8.2f}{size / seconds:>15,.0f}{_mib():>10.0f}")
    print(f"  {'target':>8}{'':>8}{MIN_RATE:>15,}{MAX_MIB:>10}")


def typed(path: Path | None) -> None:
    """Let `minerva standardise` read lists of columns and write all files of them."""
    with TemporaryDirectory() as folder, GlossaryStore(Path(folder) / "glossary.db") as store:
        if path:
            import_file(store, path, Wanted(name="bench", kind="public"))
        glossary = store.glossary()
        print("\nminerva standardise columns.csv --out out, every kind of file")
        start, _ = _typed_once(Path(folder), glossary, WARM_UP)
        print(f"  start and warm-up of {WARM_UP} columns, which are taken off: {start:.1f} CPU s")
        print(f"  {'columns':>8}{'CPU s':>8}{'columns/CPU s':>15}{'peak MiB':>10}{'files MiB':>11}")
        for size in SIZES:
            seconds, mib = _typed_once(Path(folder), glossary, size)
            files = sum(each.stat().st_size for each in (Path(folder) / "out").iterdir()) / 2**20
            rate = (size - WARM_UP) / (seconds - start)
            print(f"  {size:>8,}{seconds - start:>8.2f}{rate:>15,.0f}{mib:>10.0f}{files:>11.0f}")
        print(f"  {'target':>8}{'':>8}{MIN_RATE:>15,}{MAX_MIB:>10}")


def _typed_once(folder: Path, glossary: Glossary, size: int) -> tuple[float, float]:
    """Write a list of columns and let the command work on it."""
    with (folder / "columns.csv").open("w", encoding="utf-8", newline="") as file:
        items = columns(glossary, size, seed=size)
        cells = ((item.table, item.name, item.comment, item.data_type) for item in items)
        csv.writer(file).writerows([("테이블명", "컬럼명", "컬럼한글명", "타입"), *cells])
    return _run(folder)


def _run(folder: Path) -> tuple[float, float]:
    """Return the CPU seconds and the peak of memory of the command."""
    minerva = Path(sys.executable).with_name("minerva")
    typed_words = (minerva, "standardise", "columns.csv", "--out", "out", "--limit", "0")
    running = subprocess.Popen(
        typed_words,
        cwd=folder,
        env={**os.environ, "MINERVA_HOME": str(folder)},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, typed_words)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def columns(glossary: Glossary, size: int, *, seed: int) -> Iterator[Item]:
    """Yield columns: terms as they are or spaced, compositions, typos and unknown names."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    terms, words = list(glossary.terms), list(glossary.words)
    for number in range(size):
        kind = chance.random()
        name = chance.choice(terms)
        place = chance.randrange(len(name))
        if kind < 0.25:
            comment = name
        elif kind < 0.6:
            comment = " ".join(chance.choice(words) for _ in range(chance.randint(2, 4)))
        elif kind < 0.8:
            comment = f"{name[:place]}{chance.choice('가나다라마')}{name[place:]}"
        else:
            comment = f"{chance.choice(('양자', 'quantum', '뭐시'))} {number} 상태"
        table = f"TB_{number // 20}"
        yield Item(name=f"C{number}", comment=comment, data_type="CHAR(1)", table=table)


def _mib() -> float:
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["speed"]:
        speed(Path(sys.argv[2]) if sys.argv[2:] else None)
    else:
        sys.exit(main())
