"""What is odd in a file that can be read."""

from pydantic import BaseModel

from minerva_platform.text import read_texts

TEXTS = read_texts("minerva_governance.core.reading", "reading")


class Problem(BaseModel, frozen=True):
    """Something odd in a file that does not stop the work."""

    file: str
    line: int = 1
    message: str

    def __str__(self) -> str:
        """Return `file:line: message`, as editors understand it."""
        return f"{self.file}:{self.line}: {self.message}"
