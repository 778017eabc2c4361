"""What a model reads of a tool's answer: its texts, and a word about what is no text."""

import json
from collections.abc import Iterator

from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)


def answer_text(result: CallToolResult) -> str:
    """Return the answer as text. Structured content counts if there is no other."""
    parts = list(_parts(result))
    if not parts and result.structuredContent is not None:
        return json.dumps(result.structuredContent, ensure_ascii=False)
    return "\n".join(parts)


def _parts(result: CallToolResult) -> Iterator[str]:
    for part in result.content:
        match part:
            case TextContent(text=text):
                yield text
            case EmbeddedResource(resource=TextResourceContents(text=text)):
                yield text
            case ImageContent(mimeType=kind, data=data) | AudioContent(mimeType=kind, data=data):
                yield f"({kind}, {len(data) * 3 // 4:,} bytes, not shown)"
            case ResourceLink(uri=uri):
                yield f"(a resource: {uri})"
            case EmbeddedResource(resource=resource):
                yield f"(a resource: {resource.uri}, not shown)"
