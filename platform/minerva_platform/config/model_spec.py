"""The configured model and the limits of its calls. This module is cheap to import."""

import os
import re
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from minerva_platform.config.limits import Section
from minerva_platform.errors import SettingsError

MODEL_VARIABLE = "MINERVA_MODEL"
"""Names the model for every team that names none in its own file; empty switches models off."""

Provider = Literal["openai", "azure_openai"]
Structured = Literal["json_schema", "function_calling"]
"""How a typed answer is asked for; `function_calling` for models that know no JSON schema."""

_PROVIDERS = {"azure": "azure_openai"}
"""LangChain's names of providers that have another one here."""
_SNAPSHOT = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8})$")
_NAME = re.compile(r"(openai|azure_openai):(\S+)")


class ModelSpec(Section):
    """A model as configuration names it: `openai:gpt-5-mini`, or a mapping with more.

    Prices are US dollars for a million tokens; without them no cost is recorded.
    """

    name: str
    """`provider:model`; for Azure the model is the name of the deployment."""
    base_url: str | None = None
    """Of an OpenAI-compatible server; else `OPENAI_BASE_URL` or `AZURE_OPENAI_ENDPOINT`."""
    api_version: str | None = None
    """Azure's; else `OPENAI_API_VERSION`."""
    timeout: float = Field(default=30.0, gt=0)
    """Seconds of one whole call, retries and streaming included."""
    temperature: float | None = None
    """Not sent when absent: reasoning models refuse it."""
    max_tokens: int | None = Field(default=None, ge=1)
    structured: Structured = "json_schema"
    prompt_price: float | None = Field(default=None, ge=0)
    completion_price: float | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            message = f"{value!r} is no model; write provider:model, as openai:gpt-5-mini"
            raise ValueError(message)
        return value

    @property
    def provider(self) -> Provider:
        """The provider of the model."""
        return "azure_openai" if self.name.startswith("azure_openai:") else "openai"

    @property
    def model(self) -> str:
        """The provider's name for the model."""
        return self.name.partition(":")[2]

    @property
    def record_name(self) -> str:
        """The name of the model in records."""
        return model_name(self.provider, self.model)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return the cost of a call in US dollars, or None without prices."""
        if self.prompt_price is None or self.completion_price is None:
            return None
        spent = prompt_tokens * self.prompt_price + completion_tokens * self.completion_price
        return spent / 1_000_000


def model_name(provider: str, model: str) -> str:
    """Return `provider:model` without the date of a snapshot: one name for one model."""
    prefix = f"{_PROVIDERS.get(provider, provider)}:" if provider else ""
    return f"{prefix}{_SNAPSHOT.sub('', model)}"


def model_spec(spec: ModelSpec | None) -> ModelSpec | None:
    """Return the model that `MINERVA_MODEL` names, else the configured one.

    Raises:
        SettingsError: the variable does not name a model.
    """
    named = os.environ.get(MODEL_VARIABLE)
    if named is None:
        return spec
    if not named.strip():
        return None
    try:
        return ModelSpec(name=named.strip())
    except ValidationError as error:
        message = f"{MODEL_VARIABLE} is {named!r}; write provider:model, as openai:gpt-5-mini."
        raise SettingsError(message) from error
