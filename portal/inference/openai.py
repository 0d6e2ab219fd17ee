"""What the gateway reads and changes of OpenAI's paths: tokens are counted by the server's own word.

Streams tell their tokens only if asked. They are always asked, and clients that did not ask get none.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import orjson

EVENT_MAX: Final = 4 * 1024 * 1024
"""Bytes of one event."""
METERED: Final = re.compile(
    r"/v1/(chat/completions|completions|embeddings|responses|messages|rerank|score)"
)
"""Paths below a service whose answers tell tokens."""
_ASKED_FOR_USAGE: Final = re.compile(r"/v1/(chat/completions|completions)")
_END: Final = re.compile(rb"\r?\n\r?\n")
_DONE: Final = b"[DONE]"
_LAST_TYPES: Final = frozenset(
    {"response.completed", "response.failed", "response.incomplete", "message_stop"}
)
"""Last events of streams that have no `[DONE]`."""
_PIECES: Final = ("content", "reasoning_content", "reasoning", "tool_calls")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    is_cut: bool = False
    """The server has not reported them at the end: what was streamed is counted."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as it is sent to a replica."""

    body: bytes
    is_stream: bool = False
    hides_usage: bool = False
    """The client did not ask for the tokens of a stream."""


def prepare_request(path: str, body: bytes) -> Prepared:
    """Return a request that asks for the tokens of a stream; what is no JSON object stays as it is."""
    try:
        asked = orjson.loads(body)
    except orjson.JSONDecodeError:
        return Prepared(body)
    if not isinstance(asked, dict) or asked.get("stream") is not True:
        return Prepared(body)
    options = asked.get("stream_options")
    options = options if isinstance(options, dict) else {}
    if options.get("include_usage") is True or not _ASKED_FOR_USAGE.fullmatch(path):
        return Prepared(body, is_stream=True)
    asked["stream_options"] = {**options, "include_usage": True}
    return Prepared(orjson.dumps(asked), is_stream=True, hides_usage=True)


def read_usage(answer: bytes) -> Usage | None:
    """Return the tokens of a whole answer; None if it tells none."""
    meter = StreamMeter(hides_usage=False)
    meter.note_document(_parse(answer))
    return meter.usage() if meter.has_usage else None


class StreamMeter:
    """Follows the events of one stream: which of them are passed on, and what they cost."""

    def __init__(self, *, hides_usage: bool) -> None:
        """Start at the beginning of a stream."""
        self.is_done = False
        """Whether the stream has come to its own end."""
        self.has_error = False
        """Whether the server has reported an error in the stream."""
        self.has_content = False
        self.has_usage = False
        self._hides_usage = hides_usage
        self._prompt = self._completion = self._pieces = 0
        self._rest = b""

    def feed(self, data: bytes) -> bytes:
        """Return the whole events to pass on; raises `ValueError` for one that is too large."""
        self._rest += data
        passed: list[bytes] = []
        begin = 0
        for end in _END.finditer(self._rest):
            passed.append(self._pass(self._rest[begin : end.end()]))
            begin = end.end()
        self._rest = self._rest[begin:]
        if len(self._rest) > EVENT_MAX:
            raise ValueError("an event without an end")
        return b"".join(passed)

    def usage(self) -> Usage:
        """Return the tokens: as the server reported them, else as many as pieces were streamed."""
        if self.has_usage and (self.is_done or not self._pieces):
            return Usage(self._prompt, self._completion)
        return Usage(self._prompt, max(self._completion, self._pieces), is_cut=True)

    def note_document(self, document: dict[str, Any]) -> dict[str, Any] | None:
        """Read the tokens that a document tells; return what holds them."""
        for holder in (document, document.get("response"), document.get("message")):
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict):
                self.has_usage = True
                prompt, completion = _amounts(usage)
                self._prompt = max(self._prompt, prompt)
                self._completion = max(self._completion, completion)
                return usage
        return None

    def _pass(self, event: bytes) -> bytes:
        """Return an event as it is passed on; nothing if it only tells what was not asked for."""
        lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
        data = b"\n".join(lines)
        if data == _DONE:
            self.is_done = True
            return event
        document = _parse(data)
        if not document:
            return event
        self.has_content = True
        self.has_error = self.has_error or bool(document.get("error"))
        self.is_done = self.is_done or document.get("type") in _LAST_TYPES
        self._pieces += _count_pieces(document)
        found = self.note_document(document)
        if not self._hides_usage or "usage" not in document:
            return event
        if found is not None and not document.get("choices"):
            return b""
        del document["usage"]
        return b"data: " + orjson.dumps(document) + b"\n\n"


def _amounts(usage: dict[str, Any]) -> tuple[int, int]:
    """Return tokens of prompt and answer, by either pair of names."""
    found = []
    for names in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")):
        values = [usage.get(name) for name in names]
        found.append(max((each for each in values if isinstance(each, int)), default=0))
    return max(0, found[0]), max(0, found[1])


def _count_pieces(document: dict[str, Any]) -> int:
    """Return how many choices an event gives something of: a token each, as servers stream them."""
    choices = document.get("choices")
    if not isinstance(choices, list):
        return int(str(document.get("type", "")).endswith("delta"))
    return sum(_has_piece(each) for each in choices if isinstance(each, dict))


def _has_piece(choice: dict[str, Any]) -> bool:
    delta = choice.get("delta")
    parts = delta if isinstance(delta, dict) else {}
    return bool(choice.get("text")) or any(parts.get(name) for name in _PIECES)


def _parse(data: bytes) -> dict[str, Any]:
    """Return a JSON object; an empty one for anything else."""
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    return document if isinstance(document, dict) else {}
