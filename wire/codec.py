"""Converts between text frames and messages; every invalid input is a `BadFrameError`."""

from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from wire.messages import FromAgent, ToAgent
from wire.values import Message

T = TypeVar("T")

FRAME_MAX: Final = 4 * 1024 * 1024
"""Characters of one frame; a heartbeat with 4,096 containers is smaller."""

_from_agent: Final[TypeAdapter[FromAgent]] = TypeAdapter(FromAgent)
_to_agent: Final[TypeAdapter[ToAgent]] = TypeAdapter(ToAgent)


class BadFrameError(Exception):
    """The frame is too large, not JSON, or not a message of this protocol."""


def decode_from_agent(frame: str) -> FromAgent:
    """Decode a frame that an agent sent; raises `BadFrameError`."""
    return _decode(_from_agent, frame)


def decode_to_agent(frame: str) -> ToAgent:
    """Decode a frame that the portal sent; raises `BadFrameError`."""
    return _decode(_to_agent, frame)


def encode(message: Message) -> str:
    """Encode a message as one text frame."""
    return message.model_dump_json(exclude_defaults=False)


def _decode(adapter: TypeAdapter[T], frame: str) -> T:
    if len(frame) > FRAME_MAX:
        raise BadFrameError(f"frame of {len(frame)} characters")
    try:
        return adapter.validate_json(frame)
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadFrameError(str(error)[:500]) from error
