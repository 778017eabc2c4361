"""MINERVA: supervisors over teams, teams over workers, with a firewall at every border.

Importing this package is fast, because names are loaded when they are used. Everything else is in
submodules: `config`, `text`, `models`, `routing`, `langgraph`, `testing`, and `cli_kit` for teams
that bring commands.
"""

import os

# langgraph reads this once, when it is imported; MINERVA's own states are read strictly anyway,
# a host's checkpointer only with it
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_platform.agents.function_agent import agent as agent
    from minerva_platform.app import Platform as Platform
    from minerva_platform.config.limits import RunLimits as RunLimits
    from minerva_platform.contract.agent import (
        AgentInput as AgentInput,
        AgentOutput as AgentOutput,
        BaseAgent as BaseAgent,
        WorkerState as WorkerState,
    )
    from minerva_platform.contract.attachment import (
        Attachment as Attachment,
        AttachmentUse as AttachmentUse,
    )
    from minerva_platform.contract.handoff import Handoff as Handoff
    from minerva_platform.contract.result import Result as Result
    from minerva_platform.contract.router import Decision as Decision, Router as Router
    from minerva_platform.contract.run_object import (
        Interrupt as Interrupt,
        Run as Run,
        RunEvent as RunEvent,
    )
    from minerva_platform.contract.task import Task as Task, Turn as Turn
    from minerva_platform.contract.team import Team as Team
    from minerva_platform.contract.transfer import Transfer as Transfer
    from minerva_platform.contract.values import (
        Artifact as Artifact,
        Citation as Citation,
        Shown as Shown,
    )
    from minerva_platform.durable.effect import effect as effect, effect_key as effect_key
    from minerva_platform.errors import (
        AgentError as AgentError,
        AgentTimeoutError as AgentTimeoutError,
        AlreadyDecidedError as AlreadyDecidedError,
        BindingError as BindingError,
        CheckError as CheckError,
        ContractError as ContractError,
        DecisionError as DecisionError,
        EffectError as EffectError,
        EffectMismatchError as EffectMismatchError,
        EffectNotDoneError as EffectNotDoneError,
        ExpiredInterruptError as ExpiredInterruptError,
        InvalidDecisionError as InvalidDecisionError,
        MinervaError as MinervaError,
        ModelError as ModelError,
        OtherTeamsError as OtherTeamsError,
        OutputError as OutputError,
        RejectedError as RejectedError,
        RunError as RunError,
        SettingsError as SettingsError,
        StaleDecisionError as StaleDecisionError,
        ThreadBusyError as ThreadBusyError,
        UnknownInterruptError as UnknownInterruptError,
        UnknownRunError as UnknownRunError,
        YamlError as YamlError,
    )
    from minerva_platform.models.fallback import RefusedAnswerError as RefusedAnswerError
    from minerva_platform.models.model import Model as Model
    from minerva_platform.people.ask_person import (
        ask_approval as ask_approval,
        ask_person as ask_person,
    )
    from minerva_platform.run_context.context import progress as progress
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
