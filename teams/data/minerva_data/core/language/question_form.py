"""Recognise questions about a glossary itself, which no worker answers.

The workers give names, domains and types. A list of terms, a definition, allowed values and retired
terms are asked for in a few ways; the answer says that it has none of these.
"""

import re
from typing import Literal, get_args

from minerva_platform.text import read_words

Form = Literal["list", "definition", "values", "retired"]
"""What is asked of the glossary instead of a name."""

_WORDS = read_words("minerva_data.core.language", "question_forms")
_FORMS: dict[Form, re.Pattern[str]] = {
    form: re.compile(_WORDS.patterns(form), re.IGNORECASE) for form in get_args(Form)
}


def unserved_forms(request: str) -> tuple[Form, ...]:
    """Return what `request` asks of a glossary that no worker gives."""
    return tuple(form for form, pattern in _FORMS.items() if pattern.search(request))
