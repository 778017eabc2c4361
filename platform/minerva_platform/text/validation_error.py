"""Pydantic's findings in one line, without the data."""

import re
from typing import Any

from pydantic import ValidationError


def validation_text(error: ValidationError) -> str:
    """Return pydantic's findings in one line, without the values (they may be personal)."""
    return "; ".join(finding_text(item) for item in error.errors(include_url=False)) + "."


def finding_text(item: Any) -> str:
    """Return one of pydantic's findings: its place and its fault."""
    place = ".".join(str(part) for part in item["loc"]) or "(whole)"
    got = f", got {type(item['input']).__name__}" if item["type"].endswith("_type") else ""
    return f"`{place}`: {fault_text(item)}{got}"


def fault_text(item: Any) -> str:
    """Return what is wrong, without words of pydantic's that say nothing to a person."""
    return re.sub(r"^Value error, | or instance of \w+", "", item["msg"])
