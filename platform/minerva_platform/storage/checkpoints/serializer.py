"""How states are written and read: msgpack alone, and only classes that LangGraph was told of.

A reader that built whatever a checkpoint names would run the code of whoever can write to the
database.
"""

from collections.abc import Callable
from typing import Any, Final

from langgraph.checkpoint.serde._msgpack import (
    STRICT_MSGPACK_ENABLED,  # pyright: ignore[reportPrivateUsage]  # nothing public tells it
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from minerva_platform.errors import RunError
from minerva_platform.storage.checkpoints.moved_uploads import with_moved_uploads

FORMS: Final = frozenset({"msgpack", "bytes", "bytearray", "null"})
"""What states are written as. LangGraph would also read `json` and `pickle`, which name code."""


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's serializer, which reads the forms that it writes and no others."""

    def __init__(self, *, __unpack_ext_hook__: Callable[[int, bytes], Any] | None = None) -> None:
        super().__init__(allowed_msgpack_modules=None, __unpack_ext_hook__=__unpack_ext_hook__)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return what was written.

        Raises:
            RunError: it was written in a form that can name code.
        """
        form = data[0]
        if form not in FORMS:
            message = f"A checkpoint is written as {form!r}, which MINERVA does not read."
            raise RunError(message)
        if form == "msgpack":
            data = (form, with_moved_uploads(data[1]))
        return super().loads_typed(data)


def refuse_loose_reading() -> None:
    """See to it that LangGraph names the classes of each graph, so that states come back whole.

    Raises:
        RunError: LangGraph was imported without being told to read strictly.
    """
    if not STRICT_MSGPACK_ENABLED:
        message = (
            "langgraph was imported before minerva_platform, so a forged checkpoint could run "
            "code. Import minerva_platform first, or set LANGGRAPH_STRICT_MSGPACK=true."
        )
        raise RunError(message)
