"""Every frame of the page's WebSocket, typed."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

FRAME_MAX: Final = 64 * 1024
"""Bytes of one frame from a page."""
TOPICS_PER_FRAME_MAX: Final = 100
"""Topics in one frame from a page."""

TopicName = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Frame(BaseModel):
    """Base of all frames: immutable; unknown fields are ignored, so that versions can overlap."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Wanted(Frame):
    """A topic, and how far the page knows it: for logs the bytes it already shows."""

    topic: TopicName
    seq: Annotated[int, Field(ge=-(2**53), le=2**53)] | None = None
    """For logs a negative number counts from the end."""


class Subscribe(Frame):
    """Begin to hear of topics."""

    op: Literal["subscribe"]
    topics: Annotated[tuple[Wanted, ...], Field(max_length=TOPICS_PER_FRAME_MAX)]


class Unsubscribe(Frame):
    """Hear of topics no longer."""

    op: Literal["unsubscribe"]
    topics: Annotated[tuple[TopicName, ...], Field(max_length=TOPICS_PER_FRAME_MAX)]


class Ping(Frame):
    """Ask whether anybody is there."""

    op: Literal["ping"]


class Ring(Frame):
    """Something about the topic changed: fetch it again."""

    op: Literal["ring"] = "ring"
    topic: str
    seq: int
    """Newest event known; 0 when rings may have been missed."""


class Subscribed(Frame):
    """The topic is listened to; a `seq` other than the page's own means: fetch it again."""

    op: Literal["subscribed"] = "subscribed"
    topic: str
    seq: int


class Refused(Frame):
    """The topic is unknown, not the caller's to hear, or one too many."""

    op: Literal["refused"] = "refused"
    topic: str
    code: str


class Log(Frame):
    """Text of a log from byte `offset` of attempt `epoch` on."""

    op: Literal["log"] = "log"
    topic: str
    epoch: int
    offset: int
    text: str


class Pong(Frame):
    """Somebody is there."""

    op: Literal["pong"] = "pong"


ClientFrame = Annotated[Subscribe | Unsubscribe | Ping, Field(discriminator="op")]

_from_client: Final[TypeAdapter[ClientFrame]] = TypeAdapter(ClientFrame)


class BadFrameError(Exception):
    """The text is not a frame of this protocol."""


def decode(text: str) -> Subscribe | Unsubscribe | Ping:
    """Read a frame that a page sent; raises `BadFrameError`."""
    try:
        return _from_client.validate_json(text)
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadFrameError from error


def encode(frame: Frame) -> str:
    """Write a frame as one text message."""
    return frame.model_dump_json()
