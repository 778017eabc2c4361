"""MINERVA: supervisors over teams, teams over workers, with a firewall at every border.

Importing this costs almost nothing: names are loaded when they are used.
"""

import os

# langgraph reads this once, when it is imported: without it a forged checkpoint runs code on load
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_platform.agent import AgentInput, AgentOutput, BaseAgent, InputMode
    from minerva_platform.assist import RefusedAnswerError
    from minerva_platform.budget import Limits
    from minerva_platform.cli.progress import say
    from minerva_platform.cli.stream import printable, write_json, write_text
    from minerva_platform.contract import (
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
    from minerva_platform.examples import read_examples
    from minerva_platform.language import Language, language_of
    from minerva_platform.models.model import Model
    from minerva_platform.models.spec import ModelSpec
    from minerva_platform.routing import Decision, Goal, MemberCard, Router, RoutingView
    from minerva_platform.run import RunEvent, RunOptions
    from minerva_platform.settings import TeamSettings, find_settings, home_directory
    from minerva_platform.team import Team
    from minerva_platform.wrap import agent_from_callable, agent_from_graph
    from minerva_platform.yaml_file import YamlFile, read_yaml

_MODULES: Final = {
    "agent": ("AgentInput", "AgentOutput", "BaseAgent", "InputMode"),
    "assist": ("RefusedAnswerError",),
    "budget": ("Limits",),
    "cli.progress": ("say",),
    "cli.stream": ("printable", "write_json", "write_text"),
    "contract": (
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
    "examples": ("read_examples",),
    "language": ("Language", "language_of"),
    "models.model": ("Model",),
    "models.spec": ("ModelSpec",),
    "routing": ("Decision", "Goal", "MemberCard", "Router", "RoutingView"),
    "run": ("RunEvent", "RunOptions"),
    "settings": ("TeamSettings", "find_settings", "home_directory"),
    "team": ("Team",),
    "wrap": ("agent_from_callable", "agent_from_graph"),
    "yaml_file": ("YamlFile", "read_yaml"),
}
_HOME: Final = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
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
    "say",
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
