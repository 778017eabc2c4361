"""Cut, count or refuse the values that leave a worker, at the bounds.

All sizes are checked before the first byte is written. So a refused Output leaves no file behind.
"""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import orjson
from pydantic import BaseModel

from minerva_observability.masking.secret_forms import is_harmless
from minerva_platform.contract.agent import AgentOutput, BaseAgent
from minerva_platform.contract.attachment import AttachmentUse, FileReport
from minerva_platform.contract.bounds import (
    MAX_ARTIFACT_BYTES,
    MAX_ARTIFACTS,
    MAX_CITATIONS,
    MAX_HANDOFFS,
    MAX_HISTORY,
    MAX_INLINE,
    MAX_MESSAGE,
    MAX_NAME_BYTES,
    MAX_RUN_BYTES,
    MAX_SUMMARY,
    MAX_TEXT_BYTES,
    MAX_UNUSED,
    bounded_shown,
    capped,
    fitted,
    fitted_name,
)
from minerva_platform.contract.dataflow import handoff_ports
from minerva_platform.contract.handoff import Handoff, HandoffRecord, Handoffs
from minerva_platform.contract.transfer import CarriedHandoff
from minerva_platform.contract.values import Artifact, Citation, Content, Shown, StoredArtifact
from minerva_platform.errors import OutputError, OutputLimitError
from minerva_platform.runtime.attached_files import most_telling
from minerva_platform.runtime.border.exact_handoffs import write_handoff

if TYPE_CHECKING:
    from minerva_platform.run_context.context import Artifacts


class OutgoingValues:
    """One Output on its way out. `cut` counts the values shortened or left out so far."""

    def __init__(
        self,
        agent: BaseAgent[Any, Any],
        output: BaseModel,
        store: "Artifacts",
        messages: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.agent, self.output, self.store = agent, output, store
        self.messages = messages
        self.cut = 0
        self._sizes: dict[str, int] = {}
        self._to_write: list[Content] = []
        self._inline = 0

    def summary(self) -> str:
        """Return the summary. A cut summary says so."""
        text = str(getattr(self.output, "summary", ""))
        return self._count_cut(text, capped(text, MAX_SUMMARY))

    def own_fields(self) -> dict[str, Any]:
        """Return the Output's own fields, beyond those of every worker and hand-offs.

        Sensitive fields stay inside. Fields that are together larger than a hand-off may be are
        left out. Their size stands for them.
        """
        ports = {port.field for port in handoff_ports("", type(self.output))}
        inside = set(AgentOutput.model_fields) | ports | set(self.agent.sensitive)
        fields = self.output.model_dump(mode="json", exclude=inside)
        size = json_size(self.agent, fields)
        if size <= MAX_INLINE:
            return fields
        self.cut += 1
        return {"truncated": True, "total_bytes": size}

    def history(self) -> tuple[dict[str, Any], ...]:
        """Return the newest messages that fit, shortened; the number of earlier ones first."""
        kept: list[dict[str, Any]] = []
        room = MAX_HISTORY
        for row in map(_short_message, reversed(self.messages)):
            room -= len(json.dumps(row, ensure_ascii=False))
            if room < 0:
                earlier = len(self.messages) - len(kept)
                return ({"left_out": earlier}, *reversed(kept))
            kept.append(row)
        return tuple(reversed(kept))

    def citations(self) -> tuple[Citation, ...]:
        """Return the first citations, with short texts."""
        given: tuple[Citation, ...] = tuple(getattr(self.output, "citations", ()))
        self.cut += max(0, len(given) - MAX_CITATIONS)
        return tuple(self._short(citation) for citation in given[:MAX_CITATIONS])

    def artifacts(self) -> tuple[StoredArtifact, ...]:
        """Return the artifacts, the messages that leave it included, with their later addresses.

        Raises:
            OutputLimitError: there are too many, or one is too large.
        """
        given: tuple[Artifact, ...] = tuple(getattr(self.output, "artifacts", ()))
        if len(given) > MAX_ARTIFACTS:
            reason = f"it returned {len(given):,} artifacts; at most {MAX_ARTIFACTS} may leave it."
            raise OutputLimitError(self.agent.name, reason)
        stored: list[StoredArtifact] = []
        for artifact in (*given, *self._whole_history()):
            name = self._count_cut(artifact.name, fitted_name(artifact.name, MAX_NAME_BYTES))
            content = self._weigh(f"its artifact `{name}`", artifact.content)
            self._to_write.append(content)
            kind = self._count_cut(artifact.media_type, fitted(artifact.media_type, MAX_NAME_BYTES))
            stored.append(self.store.address(name, kind, content))
        return tuple(stored)

    def _whole_history(self) -> tuple[Artifact, ...]:
        if not self.messages:
            return ()
        text = json.dumps(self.messages, ensure_ascii=False, indent=1)
        name = f"{self.agent.name}_messages.json"
        return (Artifact(name=name, content=text, media_type="application/json"),)

    def files(self) -> tuple[tuple[FileReport, ...], int]:
        """Return the worker's file reports, at most `MAX_FILES`, and the number of further ones."""
        given: tuple[AttachmentUse, ...] = getattr(self.output, "files", ())
        kept, more = most_telling(given)
        return tuple(self._report(item) for item in kept), more

    def unused(self) -> tuple[str, ...] | None:
        """Return the words that the worker did not take into account. None if it reports none."""
        if "unused" not in self.output.model_fields_set:
            return None
        given: tuple[str, ...] = getattr(self.output, "unused", ())
        self.cut += max(0, len(given) - MAX_UNUSED)
        return tuple(self._count_cut(words, self._line(words)) for words in given[:MAX_UNUSED])

    def shown(self) -> tuple[Shown, ...]:
        """Return the names that the answer shows, bounded and harmless to display."""
        given: tuple[Shown, ...] = getattr(self.output, "shown", ())
        harmless = (
            one.model_copy(update={"names": tuple(filter(is_harmless, one.names))}) for one in given
        )
        kept = bounded_shown(harmless)
        self.cut += not _names(given) <= _names(kept)
        return kept

    def handoffs(self, path: str) -> Handoffs:
        """Return the hand-offs that the Output carries, by kind.

        Raises:
            OutputLimitError: there are too many, or one is too large.
        """
        given = list(_handoffs_of(self.output))
        if len(given) > MAX_HANDOFFS:
            reason = f"it gave {len(given):,} hand-offs; at most {MAX_HANDOFFS} may leave it."
            raise OutputLimitError(self.agent.name, reason)
        found: Handoffs = {}
        for handoff in given:
            text, exact = write_handoff(handoff, self.agent.name)
            content = self._weigh(f"its hand-off `{handoff.kind}`", text)
            record = self._record(handoff, path, content)
            if exact is not None:
                self._add_exact(record, f"its hand-off `{handoff.kind}`", exact)
            found.setdefault(handoff.kind, []).append(record)
        return found

    def carry(self, handoff: CarriedHandoff, path: str) -> HandoffRecord:
        """Return a hand-off that goes with a transfer, as graph state holds it.

        Raises:
            OutputLimitError: it is too large.
        """
        text = orjson.dumps(handoff.payload).decode()
        content = self._weigh(f"its hand-off `{handoff.kind}`", text)
        return self._record(handoff, path, content)

    def write(self) -> None:
        """Write to the store the values that travel by their address."""
        self.store.take(self._sizes)
        for content in self._to_write:
            self.store.write(content)

    def _record(
        self, handoff: Handoff | CarriedHandoff, path: str, content: Content
    ) -> HandoffRecord:
        fits = self._inline + len(content.data) <= MAX_INLINE
        self._inline += len(content.data) if fits else 0
        record = record_of(handoff, path, content, may_lie_inline=fits)
        if "sha256" in record:
            self._to_write.append(content)
        return record

    def _add_exact(self, record: HandoffRecord, what: str, exact: str) -> None:
        if self._inline + len(exact) <= MAX_INLINE:
            self._inline += len(exact)
            record["exact"] = exact
            return
        content = self._weigh(what, orjson.dumps({"exact": exact}).decode())
        self._to_write.append(content)
        record["exact_sha256"] = content.sha256

    def _weigh(self, what: str, text: str) -> Content:
        """Return `text` as the store holds it. The run must still have room for it."""
        if len(text) > MAX_ARTIFACT_BYTES:  # a text has at least as many bytes as characters
            self._refuse(what, f"{len(text):,} characters", MAX_ARTIFACT_BYTES)
        content = Content.of(text)
        size = len(content.data)
        if size > MAX_ARTIFACT_BYTES:
            self._refuse(what, f"{size:,} bytes", MAX_ARTIFACT_BYTES)
        self._sizes[content.sha256] = size
        if not self.store.has_room(self._sizes):
            self._refuse(what, f"{size:,} bytes", MAX_RUN_BYTES, "all of a run together")
        return content

    def _refuse(self, what: str, size: str, limit: int, whose: str = "one") -> None:
        reason = (
            f"{what} has {size}; {whose} may have at most {limit:,} bytes. Split it or shrink it."
        )
        raise OutputLimitError(self.agent.name, reason)

    def _short(self, citation: Citation) -> Citation:
        texts = {name: value for name, value in citation if isinstance(value, str)}
        short = {name: fitted(text, MAX_TEXT_BYTES) for name, text in texts.items()}
        changed = {name: text for name, text in short.items() if text != texts[name]}
        self.cut += len(changed)
        return citation.model_copy(update=changed) if changed else citation

    def _report(self, use: AttachmentUse) -> FileReport:
        name = self._count_cut(use.name, self._line(use.name))
        reason = self._count_cut(use.reason, self._line(use.reason))
        return FileReport(name=name, status=use.status, reason=reason, must_mend=use.must_mend)

    def _line(self, text: str) -> str:
        """Return `text` fitted. A file's name may hold bytes that are no text."""
        return fitted(text.encode("utf-8", "backslashreplace").decode(), MAX_TEXT_BYTES)

    def _count_cut(self, whole: str, short: str) -> str:
        self.cut += short != whole
        return short


def _short_message(row: dict[str, Any]) -> dict[str, Any]:
    """Return a message whose text and calls' arguments are cut."""
    short = {**row, "text": capped(row.get("text", ""), MAX_MESSAGE)}
    if "calls" in row:
        short["calls"] = [
            {**call, "arguments": capped(call["arguments"], MAX_MESSAGE)} for call in row["calls"]
        ]
    return short


def _names(shown: Iterable[Shown]) -> set[tuple[str, str]]:
    return {(one.kind, name) for one in shown for name in one.names}


def json_size(agent: BaseAgent[Any, Any], values: Any) -> int:
    """Return the size of `values` as JSON, in bytes.

    Raises:
        OutputError: a checkpoint would alter them (lone surrogates) or cannot hold them (numbers
            over 64 bits).
    """
    try:
        return len(orjson.dumps(values))
    except TypeError as error:
        reason = f"what it returned cannot be written as JSON: {error}."
        raise OutputError(agent.name, reason) from error


def record_of(
    handoff: Handoff | CarriedHandoff, path: str, content: Content, *, may_lie_inline: bool
) -> HandoffRecord:
    """Return `handoff` as graph state holds it: the whole payload, or its address."""
    if not may_lie_inline:
        return {"path": path, "version": handoff.version, "sha256": content.sha256}
    if isinstance(handoff, CarriedHandoff):
        return {"path": path, "version": handoff.version, "json": handoff.payload}
    payload = orjson.loads(content.data)
    return {"path": path, "version": handoff.version, "json": payload}


def _handoffs_of(output: BaseModel) -> Iterable[Handoff]:
    for port in handoff_ports("", type(output)):
        value: Any = getattr(output, port.field)
        several = cast("Iterable[Handoff | None]", value) if port.many and value else (value,)
        yield from (handoff for handoff in several if handoff)
