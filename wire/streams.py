"""The control messages of a stream.

A stream is a WebSocket that the agent connects to `/node/v1/streams/<id>` after `OpenStream`. Its
binary frames are the data in both directions: input, and output of the command or the server. Its
text frames are these messages. The stream ends when the WebSocket is closed.
"""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from wire.codec import BadFrameError
from wire.values import Identifier, Message, ShortText

BYTES_MAX: Final = 64 * 1024
"""Of one binary frame, and of one `Diagnostics` before base64."""
TEXT_MAX: Final = 128 * 1024
"""Characters of one text frame."""

Columns = Annotated[int, Field(ge=1, le=1000)]


class Resize(Message):
    """The terminal window has a new size, in characters."""

    type: Literal["resize"] = "resize"
    columns: Columns
    rows: Columns


class SendSignal(Message):
    """Signal the foreground process group of the session."""

    type: Literal["signal"] = "signal"
    name: Literal["HUP", "INT", "QUIT", "TERM", "KILL", "USR1", "USR2"]


class Finish(Message):
    """No more bytes follow from this side; the other side may still send some."""

    type: Literal["finish"] = "finish"


class Opened(Message):
    """The container's side is connected; no data is sent before this."""

    type: Literal["opened"] = "opened"


class Diagnostics(Message):
    """What a command without a terminal wrote to its standard error."""

    type: Literal["diagnostics"] = "diagnostics"
    data: Annotated[str, StringConstraints(max_length=BYTES_MAX * 4 // 3 + 4)]
    """Base64."""


class Exited(Message):
    """The command has ended; None if its exit code is unknown. The last message of a stream."""

    type: Literal["exited"] = "exited"
    code: Annotated[int, Field(ge=-1024, le=1024)] | None = None


class Failed(Message):
    """The stream could not be opened. The last message of a stream."""

    type: Literal["failed"] = "failed"
    code: Identifier
    """`container_gone`, `no_shell`, `no_relay`, `nothing_listens`, `too_many_streams`,
    `unavailable`."""
    detail: ShortText = ""


StreamToAgent = Annotated[Resize | SendSignal | Finish, Field(discriminator="type")]
StreamFromAgent = Annotated[
    Opened | Diagnostics | Finish | Exited | Failed, Field(discriminator="type")
]

_to_agent: Final[TypeAdapter[StreamToAgent]] = TypeAdapter(StreamToAgent)
_from_agent: Final[TypeAdapter[StreamFromAgent]] = TypeAdapter(StreamFromAgent)


def decode_to_agent(frame: str) -> StreamToAgent:
    """Decode a text frame that the portal sent; raises `BadFrameError`."""
    try:
        return _to_agent.validate_json(frame[: TEXT_MAX + 1])
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadFrameError(str(error)[:500]) from error


def decode_from_agent(frame: str) -> StreamFromAgent:
    """Decode a text frame that an agent sent; raises `BadFrameError`."""
    try:
        return _from_agent.validate_json(frame[: TEXT_MAX + 1])
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadFrameError(str(error)[:500]) from error
