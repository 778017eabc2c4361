import re


def slug(text: str, sep: str = "-") -> str:
    return re.sub(r"\W+", sep, text.lower()).strip(sep)


def unique(text: str, taken: set[str]) -> str:
    found = slug(text)
    n = 2
    while found in taken:
        found = slug(f"{text} {n}")
        n += 1
    return found
