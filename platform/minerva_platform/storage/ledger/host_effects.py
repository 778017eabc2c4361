"""What runs inside a host's graph do to the world: the ledger's part of runs that the host keeps.

The host's checkpointer keeps the state, so it alone knows what goes on. The ledger keeps effects,
under the host's thread. A step of the host is known again by LangGraph's ids of its tasks. They
change if the checkpoint before the step was lost. Then an effect of the same name and target is a
twin, which asks a person.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from langchain_core.runnables import RunnableConfig

from minerva_observability.tracing import new_run_id
from minerva_platform.contract.values import Effect
from minerva_platform.storage.checkpoints.host_checkpointer import has_checkpointer
from minerva_platform.storage.engine.location import Place

if TYPE_CHECKING:
    from minerva_platform.storage.ledger.effects import EffectJournal


@dataclass(frozen=True)
class HostEffects:
    """The effects of one step of a host's graph. Nothing is opened before the first one."""

    place: Place
    run_id: str
    """The same each time that the host runs the step."""
    thread_id: str
    """The host's; of a host that keeps nothing the id of the step."""

    @cached_property
    def journal(self) -> "EffectJournal":
        """The journal of these effects."""
        from minerva_platform.storage.ledger.host_journal import HostJournal  # noqa: PLC0415  # SQLAlchemy is heavy

        return HostJournal(self.place, self.run_id, self.thread_id)

    async def aload(self) -> tuple[Effect, ...]:
        """Return nothing: the journal reads what was done before its first effect."""
        return ()


def host_effects(config: RunnableConfig, place: Place, request: str) -> HostEffects:
    """Return the effects of a `request` at the step that a host's graph runs with `config`.

    Outside of any graph no step is known again, and each call has effects of its own.
    """
    given = config.get("configurable", {})
    thread = str(given.get("thread_id", "")) if has_checkpointer(config) else ""
    step = given.get("checkpoint_ns") or new_run_id()
    run_id = hashlib.sha256(json.dumps([thread, step, request]).encode()).hexdigest()[:32]
    return HostEffects(place, run_id, thread or run_id)
