"""A real HTTP server on loopback that answers as an OpenAI-compatible model, by script.

    with scripted_openai_server([Reply(text="hello")]) as server:
        ChatOpenAI(base_url=server.url, api_key="none").invoke("hi")

It answers plainly and in a stream, with tool calls, typed answers and token counts, under
OpenAI's and Azure's paths, and breaks in every way of `PROVIDER_FAULTS`.
"""

import json
import socket
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, cast

from minerva_platform.testing.model_script import (
    Answer,
    Fault,
    ModelCall,
    Player,
    Reply,
    Script,
    ScriptEndedError,
)

_TICK_S = 0.02
"""Seconds between the drops of an answer that never ends."""
_REFUSALS = {
    "rate_limited": (429, "Rate limit reached", "rate_limit_exceeded"),
    "server_error": (500, "The server had an error", "server_error"),
    "unauthorized": (401, "Incorrect API key provided", "invalid_api_key"),
    "unsupported": (400, "Invalid parameter: response_format json_schema", "unsupported_value"),
}
_CUT = frozenset({"cut_stream", "cut_tool_arguments"})


class ScriptedOpenAI:
    """The running server: where it is, and what it was asked."""

    def __init__(self, script: Script) -> None:
        self.calls: list[ModelCall] = []
        self.player = Player(script)
        self.closing = threading.Event()
        self.call_numbers = count(1)
        """Numbers of tool calls: LangChain matches a tool's result to its call by id."""
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.openai = self

    @property
    def root(self) -> str:
        """The address without a path, as Azure's endpoint is written."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def url(self) -> str:
        """The base URL of an OpenAI-compatible client."""
        return f"{self.root}/v1"

    def answer(self, call: ModelCall) -> Answer:
        """Note the call and find its answer."""
        with self._lock:
            self.calls.append(call)
            return self.player.answer(call)

    @contextmanager
    def running(self) -> Generator["ScriptedOpenAI"]:
        """Serve until the block ends; answers that never end are given up then."""
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self.closing.set()
            self._http.shutdown()
            thread.join()
            self._http.server_close()


def scripted_openai_server(script: Script) -> Any:
    """Return a context manager: a server that answers by `script`."""
    return ScriptedOpenAI(script).running()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    openai: ScriptedOpenAI

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's name
        """Say nothing: stderr belongs to the tests."""

    def do_POST(self) -> None:  # the base class's name
        """Answer one request."""
        openai = cast("_Server", self.server).openai
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = ModelCall(self.path, headers, body)
        if not self.path.split("?")[0].endswith("/chat/completions"):
            self._send_error(404, f"no such path: {self.path}", "not_found")
            return
        try:
            answer = openai.answer(call)
        except ScriptEndedError as error:
            self._send_error(400, f"The script has no answer: {error}.", "script_ended")
            return
        _Answering(self, call, openai).give(answer)

    def _send_error(self, status: int, message: str, code: str, **headers: str) -> None:
        error = {"message": message, "code": code, "type": "error"}
        self.send_json(status, {"error": error}, **headers)

    def send_json(self, status: int, content: Any, **headers: str) -> None:
        """Send a whole JSON answer."""
        payload = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.begin(status, "application/json", Content_Length=str(len(payload)), **headers)
        self.wfile.write(payload)

    def begin(self, status: int, content_type: str, **headers: str) -> None:
        """Send the head of an answer."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def refuse(self, fault: Fault) -> None:
        """Send an error of the provider."""
        status, message, code = _REFUSALS[fault.name]
        self._send_error(status, message, code, Retry_After=fault.retry_after)

    def begin_stream(self, content_type: str) -> None:
        """Send the head of an answer whose end is the end of the connection."""
        self.begin(200, content_type, Connection="close")
        self.close_connection = True


class _Answering:
    """One call's answer on its way out."""

    def __init__(self, handler: _Handler, call: ModelCall, openai: ScriptedOpenAI) -> None:
        self.handler, self.call, self.openai = handler, call, openai

    def give(self, answer: Answer) -> None:
        if isinstance(answer, Reply):
            self._whole(answer)
        elif answer.name in _REFUSALS:
            self.handler.refuse(answer)
        elif answer.name in {"hang", "drip", "keep_alive"}:
            self._never_end(answer.name)
        elif answer.name == "connection_reset":
            self._reset()
        elif answer.name == "html_page":
            self._html()
        elif answer.name in {"empty_choices", "null_choices"}:
            self._choices([] if answer.name == "empty_choices" else None)
        elif answer.name in _CUT:
            self._send_part(answer)
        else:
            self._whole(_broken_reply(answer))

    def _whole(self, reply: Reply) -> None:
        if self.call.stream:
            self._stream(_chunks(self._message(reply), reply))
            return
        message = self._message(reply)
        choice = {"index": 0, "message": message, "finish_reason": _finish(reply, message)}
        self.handler.send_json(200, self._envelope([choice], "chat.completion") | _usage(reply))

    def _message(self, reply: Reply) -> dict[str, Any]:
        calls = list(reply.tool_calls)
        text: str | None = reply.text
        if reply.json is not None:
            if isinstance(self.call.body.get("tool_choice"), dict):
                calls, text = [(self.call.schema_name, reply.json)], None
            else:
                text = json.dumps(reply.json, ensure_ascii=False)
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{next(self.openai.call_numbers)}",
                    "type": "function",
                    "function": {
                        "name": name,
                        "arguments": given if isinstance(given, str) else json.dumps(given),
                    },
                }
                for name, given in calls
            ]
        elif text is not None:
            message["content"] = text
        return message

    def _envelope(self, choices: Any, kind: str) -> dict[str, Any]:
        model = self.call.body.get("model") or "scripted"
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model} | {
            "choices": choices
        }

    def _choices(self, choices: Any) -> None:
        if self.call.stream:
            self._stream([{"choices": choices, "usage": None}])
        else:
            self.handler.send_json(200, self._envelope(choices, "chat.completion"))

    def _stream(self, chunks: list[dict[str, Any]], *, done: bool = True) -> None:
        self.handler.begin_stream("text/event-stream")
        for chunk in chunks:
            whole = self._envelope([], "chat.completion.chunk") | chunk
            line = json.dumps(whole, ensure_ascii=False)
            self.handler.wfile.write(f"data: {line}\n\n".encode("utf-8", "surrogatepass"))
            self.handler.wfile.flush()
        if done:
            self.handler.wfile.write(b"data: [DONE]\n\n")

    def _send_part(self, fault: Fault) -> None:
        reply = fault.reply
        if fault.name == "cut_tool_arguments" and not reply.tool_calls:
            name = self.call.schema_name or next(iter(self.call.tools), "pay")
            reply = Reply(tool_calls=[(name, {"amount": 1000, "to": "somebody"})])
        message = self._message(reply)
        if self.call.stream:
            chunks = _chunks(message, reply)
            self._stream(chunks[: max(2, len(chunks) // 2)], done=False)
            return
        choice = {"index": 0, "message": message, "finish_reason": _finish(reply, message)}
        payload = json.dumps(self._envelope([choice], "chat.completion")).encode()
        self.handler.begin(200, "application/json", Content_Length=str(len(payload)))
        self.handler.wfile.write(payload[: len(payload) // 2])
        self.handler.close_connection = True

    def _never_end(self, name: str) -> None:
        if name != "hang":
            self.handler.begin_stream("text/event-stream" if self.call.stream else "text/plain")
        piece = json.dumps(self._envelope([_choice({"content": "a "})], "chat.completion.chunk"))
        drop = b" " if not self.call.stream else f"data: {piece}\n\n".encode()
        while not self.openai.closing.wait(_TICK_S):
            if name != "hang":
                self.handler.wfile.write(b": keep-alive\n\n" if name == "keep_alive" else drop)
                self.handler.wfile.flush()
        self.handler.close_connection = True

    def _reset(self) -> None:
        linger = struct.pack("ii", 1, 0)  # close with RST instead of FIN
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.handler.connection.close()
        self.handler.close_connection = True

    def _html(self) -> None:
        page = b"<html><body>Sign in to continue</body></html>"
        self.handler.begin(200, "text/html", Content_Length=str(len(page)))
        self.handler.wfile.write(page)


def _broken_reply(fault: Fault) -> Reply:
    """Return the whole answer that is wrong in itself."""
    reply = fault.reply
    if fault.name == "bad_json_arguments":
        calls = [(name, "{amount: ten") for name, _ in reply.tool_calls]
        return Reply(tool_calls=calls or [("pay", "{amount: ten")])
    reason = "" if fault.name == "no_finish_reason" else fault.name
    return Reply(reply.text, reply.json, reply.tool_calls, finish_reason=reason)


def _finish(reply: Reply, message: dict[str, Any]) -> str | None:
    fitting = "tool_calls" if message.get("tool_calls") else "stop"
    return fitting if reply.finish_reason is None else reply.finish_reason or None


def _usage(reply: Reply) -> dict[str, Any]:
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    total = prompt + completion
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    return {"usage": usage}


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _chunks(message: dict[str, Any], reply: Reply) -> list[dict[str, Any]]:
    """Return the pieces of a streamed answer: a few characters of text or arguments each."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(message["content"] or "")]
    for index, call in enumerate(message.get("tool_calls", ())):
        head = {"name": call["function"]["name"], "arguments": ""}
        opening: dict[str, Any] = {
            "index": index,
            "id": call["id"],
            "type": "function",
            "function": head,
        }
        deltas.append({"tool_calls": [opening]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in _pieces(call["function"]["arguments"])
        ]
    chunks: list[dict[str, Any]] = [{"choices": [_choice(delta)]} for delta in deltas]
    chunks.append({"choices": [_choice({}, _finish(reply, message))]})
    end: dict[str, Any] = {"choices": [], **_usage(reply)}
    chunks.append(end)
    return chunks


def _pieces(text: str, size: int = 8) -> list[str]:
    size = max(size, len(text) // 50)
    return [text[start : start + size] for start in range(0, len(text), size)]
