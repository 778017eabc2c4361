"""Make the guarded chat model that a `ModelSpec` describes."""

import os
from typing import TYPE_CHECKING, Any

from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.errors import SettingsError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_KEYS = {"openai": "OPENAI_API_KEY", "azure_openai": "AZURE_OPENAI_API_KEY"}


def check_key(spec: ModelSpec) -> None:
    """Check that there is a key if the model needs one.

    Raises:
        SettingsError: there is no key, and no own server is named.
    """
    variable = _KEYS[spec.provider]
    own_server = spec.base_url or os.environ.get("OPENAI_BASE_URL")
    if os.environ.get(variable) or (spec.provider == "openai" and own_server):
        return
    message = (
        f"The model `{spec.name}` needs a key: set {variable}, or `base_url` for a server without "
        "keys. With MINERVA_MODEL= (empty) everything runs without a model."
    )
    raise SettingsError(message)


def build_chat(spec: ModelSpec) -> "BaseChatModel":
    """Return a guarded chat model for LangChain and `create_agent`.

    Raises:
        SettingsError: a key is missing.
    """
    from minerva_platform.models.http_pool import PerLoopClient  # noqa: PLC0415  # openai is heavy
    from minerva_platform.models.resilient_chat import GuardedAzureChatOpenAI, GuardedChatOpenAI  # noqa: PLC0415  # see above

    check_key(spec)
    options: dict[str, Any] = {
        "spec": spec,
        "max_retries": 0,  # the guard tries again, within the call's deadline
        "timeout": spec.timeout,
        "temperature": spec.temperature,
        "max_tokens": spec.max_tokens,
        "http_async_client": PerLoopClient(),
        "stream_usage": True,
        "use_responses_api": False,  # the guard knows chat completions
    }
    if spec.provider == "azure_openai":
        endpoint = {"azure_endpoint": spec.base_url} if spec.base_url else {}
        version = {"api_version": spec.api_version} if spec.api_version else {}
        return GuardedAzureChatOpenAI(
            azure_deployment=spec.model, model=spec.model, **endpoint, **version, **options
        )
    own = {"base_url": spec.base_url} if spec.base_url else {}
    if not os.environ.get("OPENAI_API_KEY"):
        own["api_key"] = "none"
    return GuardedChatOpenAI(model=spec.model, **own, **options)
