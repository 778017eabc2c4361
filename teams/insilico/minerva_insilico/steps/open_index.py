"""Open the index that a hand-off points to, and report what is wrong with it to the person."""

import contextlib
from collections.abc import Generator
from pathlib import Path

from minerva_insilico.contracts import CodeIndex
from minerva_insilico.core.facts.errors import CoreError
from minerva_insilico.core.index.index import Index
from minerva_platform import AgentError
from minerva_platform.text import Language


@contextlib.contextmanager
def opened(index: CodeIndex, language: Language = "en") -> Generator[Index]:
    """Give the index for the time of a `with` block.

    Raises:
        AgentError: its database is missing, damaged or of another format.
    """
    with reported_errors(language), Index(Path(index.database)) as found:
        yield found


@contextlib.contextmanager
def reported_errors(language: Language = "en") -> Generator[None]:
    """Turn what the core refuses into an agent's answer, in the language of the request."""
    try:
        yield
    except CoreError as error:
        raise AgentError(error.text(language)) from error
