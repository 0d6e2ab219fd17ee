"""Text frames between a page and its terminal; the bytes of the shell are binary frames."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from portal.common.frames import BadPageFrameError, PageFrame, SocketFrames

FRAME_MAX: Final = 4096
"""Characters of one text frame from a page."""
INPUT_MAX: Final = 1024 * 1024
"""Bytes of one binary frame from a page: a large paste."""
Columns = Annotated[int, Field(ge=1, le=1000)]


class TerminalResize(PageFrame):
    """The page's window has another size now, in characters."""

    type: Literal["resize"]
    columns: Columns
    rows: Columns


class TerminalPing(PageFrame):
    """Ask whether the connection still works."""

    type: Literal["ping"]


class TerminalReady(PageFrame):
    """The shell has started or was attached again."""

    type: Literal["ready"] = "ready"
    session: str
    """Name by which the page attaches to this shell again, within five minutes."""
    is_resumed: bool
    """Whether the shell was running before; its latest output follows."""


class TerminalPong(PageFrame):
    """The answer to a ping."""

    type: Literal["pong"] = "pong"


class TerminalExited(PageFrame):
    """The shell has ended by itself."""

    type: Literal["exited"] = "exited"
    code: int | None


class TerminalClosed(PageFrame):
    """The terminal was closed, or never opened; the page has a sentence for `code`."""

    type: Literal["closed"] = "closed"
    code: str
    params: Mapping[str, int | str | list[str]] = {}


class TerminalCloseCode(IntEnum):
    """Why a terminal's socket is closed."""

    LEFT = 1000
    BAD_FRAME = 1003
    UNAVAILABLE = 1013
    REFUSED = 4400
    NOT_SIGNED_IN = 4401
    NOT_ALLOWED = 4403
    REPLACED = 4409


TERMINAL_FRAMES: Final = SocketFrames(
    from_client=(TerminalResize, TerminalPing),
    to_client=(TerminalReady, TerminalPong, TerminalExited, TerminalClosed),
    binary="From the client what is typed, to the client what the shell writes.",
    close_codes={
        TerminalCloseCode.LEFT: "The shell or the page has ended it.",
        TerminalCloseCode.BAD_FRAME: "Not a frame of this protocol.",
        TerminalCloseCode.UNAVAILABLE: "It cannot be checked or reached now.",
        TerminalCloseCode.REFUSED: "Refused, for the reason in `closed`.",
        TerminalCloseCode.NOT_SIGNED_IN: "Not signed in.",
        TerminalCloseCode.NOT_ALLOWED: "The rights to it have ended.",
        TerminalCloseCode.REPLACED: "Another page has attached.",
    },
)
ClientFrame = Annotated[TerminalResize | TerminalPing, Field(discriminator="type")]

_client_frame: Final[TypeAdapter[ClientFrame]] = TypeAdapter(ClientFrame)


def decode_frame(text: str) -> TerminalResize | TerminalPing:
    """Read a frame that a page sent; raises `BadPageFrameError`."""
    if len(text) > FRAME_MAX:
        raise BadPageFrameError
    try:
        return _client_frame.validate_json(text, strict=True)
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadPageFrameError from error
