"""What one edition of a glossary holds, on its way into one glossary of several."""

from dataclasses import dataclass, field

from minerva_data.core.glossary.entry import Alias, Domain, SubjectArea, Term, Word
from minerva_data.core.glossary.glossary import SEED_NAME, Glossary
from minerva_data.core.language.text import key


@dataclass(slots=True)
class Layer:
    """What one edition of a glossary holds; entries with their names' keys."""

    name: str
    terms: list[tuple[str, Term]] = field(default_factory=list[tuple[str, Term]])
    words: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    learned_words: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    domains: list[tuple[str, Domain]] = field(default_factory=list[tuple[str, Domain]])
    learned_domains: list[tuple[str, Domain]] = field(default_factory=list[tuple[str, Domain]])
    aliases: list[Alias] = field(default_factory=list[Alias])
    subject_areas: list[SubjectArea] = field(default_factory=list[SubjectArea])


def glossary_to_layer(glossary: Glossary) -> Layer:
    """Return a glossary that was read whole, such as the bundled one, as a layer."""
    return Layer(
        SEED_NAME,
        terms=[(key(term.name), term) for term in glossary.terms.values()],
        words=[(key(word.name), word) for word in glossary.words.values()],
        domains=[(key(domain.name), domain) for domain in glossary.domains.values()],
        aliases=list(glossary.aliases),
        subject_areas=list(glossary.subject_areas.values()),
    )
