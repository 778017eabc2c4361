from dataclasses import dataclass, field

from . import text
from .text import slug, unique


@dataclass
class Page:
    title: str
    slug: str = ""

    def __post_init__(self):
        self.slug = self.slug or slug(self.title)

    def url(self):
        return f"/{self.slug}/{text.slug(self.title)}"


@dataclass
class Tag:
    name: str
    key: str = field(init=False)

    def __post_init__(self):
        self.key = (lambda s: slug(s, sep="_"))(self.name)

    def slug(self):
        return self.key


def tag_slug(tag: Tag) -> str:
    return tag.slug()


def pages(titles):
    return sorted((Page(t) for t in titles), key=lambda p: slug(p.title))
