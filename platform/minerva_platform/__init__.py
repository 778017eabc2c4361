"""MINERVA: supervisors over teams, teams over workers, with a firewall at every border.

Importing this costs almost nothing: names are loaded when they are used.
"""

import os

# langgraph reads this once, when it is imported: without it a forged checkpoint runs code on load
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_platform.adapters import agent_from_callable, agent_from_graph
    from minerva_platform.cli.io.stream import printable, write_json, write_text
    from minerva_platform.cli.views.progress import say
    from minerva_platform.config.limits import Limits
    from minerva_platform.config.model_spec import ModelSpec
    from minerva_platform.config.settings import TeamSettings, find_settings, home_directory
    from minerva_platform.contract.agent import AgentInput, AgentOutput, BaseAgent, InputMode
    from minerva_platform.contract.team import Team
    from minerva_platform.contract.values import (
        Artifact,
        Attachment,
        AttachmentUse,
        Citation,
        Handoff,
        Result,
        Run,
        Task,
        Turn,
    )
    from minerva_platform.errors import (
        AgentError,
        AgentTimeoutError,
        BindingError,
        CheckError,
        ContractError,
        MinervaError,
        ModelError,
        OutputError,
        RunError,
        SettingsError,
        YamlError,
    )
    from minerva_platform.models.fallback import RefusedAnswerError
    from minerva_platform.models.model import Model
    from minerva_platform.routing import Decision, Goal, MemberCard, Router, RoutingView
    from minerva_platform.runtime.run import RunEvent, RunOptions
    from minerva_platform.text.example_file import read_examples
    from minerva_platform.text.language_detection import Language, language_of
    from minerva_platform.text.restrictions import (
        RESTRICTION_KINDS,
        Restriction,
        restrictions_in,
        without_restrictions,
    )
    from minerva_platform.text.yaml_file import YamlFile, read_yaml

_MODULES: Final = {
    "contract.agent": ("AgentInput", "AgentOutput", "BaseAgent", "InputMode"),
    "models.fallback": ("RefusedAnswerError",),
    "config.limits": ("Limits",),
    "cli.views.progress": ("say",),
    "cli.io.stream": ("printable", "write_json", "write_text"),
    "contract.values": (
        "Artifact",
        "Attachment",
        "AttachmentUse",
        "Citation",
        "Handoff",
        "Result",
        "Run",
        "Task",
        "Turn",
    ),
    "errors": (
        "AgentError",
        "AgentTimeoutError",
        "BindingError",
        "CheckError",
        "ContractError",
        "MinervaError",
        "ModelError",
        "OutputError",
        "RunError",
        "SettingsError",
        "YamlError",
    ),
    "text.example_file": ("read_examples",),
    "text.language_detection": ("Language", "language_of"),
    "text.restrictions": (
        "RESTRICTION_KINDS",
        "Restriction",
        "restrictions_in",
        "without_restrictions",
    ),
    "models.model": ("Model",),
    "config.model_spec": ("ModelSpec",),
    "routing": ("Decision", "Goal", "MemberCard", "Router", "RoutingView"),
    "runtime.run": ("RunEvent", "RunOptions"),
    "config.settings": ("TeamSettings", "find_settings", "home_directory"),
    "contract.team": ("Team",),
    "adapters": ("agent_from_callable", "agent_from_graph"),
    "text.yaml_file": ("YamlFile", "read_yaml"),
}
_HOME: Final = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "RESTRICTION_KINDS",
    "AgentError",
    "AgentInput",
    "AgentOutput",
    "AgentTimeoutError",
    "Artifact",
    "Attachment",
    "AttachmentUse",
    "BaseAgent",
    "BindingError",
    "CheckError",
    "Citation",
    "ContractError",
    "Decision",
    "Goal",
    "Handoff",
    "InputMode",
    "Language",
    "Limits",
    "MemberCard",
    "MinervaError",
    "Model",
    "ModelError",
    "ModelSpec",
    "OutputError",
    "RefusedAnswerError",
    "Restriction",
    "Result",
    "Router",
    "RoutingView",
    "Run",
    "RunError",
    "RunEvent",
    "RunOptions",
    "SettingsError",
    "Task",
    "Team",
    "TeamSettings",
    "Turn",
    "YamlError",
    "YamlFile",
    "agent_from_callable",
    "agent_from_graph",
    "find_settings",
    "home_directory",
    "language_of",
    "printable",
    "read_examples",
    "read_yaml",
    "restrictions_in",
    "say",
    "without_restrictions",
    "write_json",
    "write_text",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for (PEP 562)."""
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
