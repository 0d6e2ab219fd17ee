"""Every frame of the page's WebSocket, typed."""

from enum import IntEnum
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from portal.common.frames import BadPageFrameError, PageFrame, SocketFrames

FRAME_MAX: Final = 64 * 1024
"""Bytes of one frame from a page."""
TOPICS_PER_FRAME_MAX: Final = 100
"""Topics in one frame from a page."""

TOPIC_MAX: Final = 4200
"""Characters of a topic: the longest name a path of files."""

TopicName = Annotated[str, StringConstraints(min_length=1, max_length=TOPIC_MAX)]


class TopicRequest(PageFrame):
    """A topic to subscribe to."""

    topic: TopicName
    seq: Annotated[int, Field(ge=-(2**53), le=2**53)] | None = None
    """For logs: the offset to start from, in bytes; a negative one counts from the end."""


class Subscribe(PageFrame):
    """Start subscriptions."""

    op: Literal["subscribe"]
    topics: Annotated[tuple[TopicRequest, ...], Field(max_length=TOPICS_PER_FRAME_MAX)]


class Unsubscribe(PageFrame):
    """End subscriptions."""

    op: Literal["unsubscribe"]
    topics: Annotated[tuple[TopicName, ...], Field(max_length=TOPICS_PER_FRAME_MAX)]


class LivePing(PageFrame):
    """Ask whether the connection still works."""

    op: Literal["ping"]


class Invalidate(PageFrame):
    """Something about the topic changed: fetch it again."""

    op: Literal["ring"] = "ring"
    topic: str
    seq: int
    """Newest event known; 0 when messages may have been missed."""


class ChangedRows(PageFrame):
    """Only these rows of the topic changed; what does not know them fetches all of it again."""

    op: Literal["ring"] = "ring"
    topic: str
    seq: int
    rows: list[str]


class Subscribed(PageFrame):
    """The subscription has begun; what was read before the last change is to be fetched again."""

    op: Literal["subscribed"] = "subscribed"
    topic: str
    seq: int
    quiet_ms: int
    """For how long nothing has changed, as far as is known."""


class SubscriptionRefused(PageFrame):
    """The topic is unknown, not the caller's to see, or one too many."""

    op: Literal["refused"] = "refused"
    topic: str
    code: str


class LogText(PageFrame):
    """Text of a log from byte `offset` of attempt `epoch` on."""

    op: Literal["log"] = "log"
    topic: str
    epoch: int
    offset: int
    text: str


class LivePong(PageFrame):
    """The answer to a ping."""

    op: Literal["pong"] = "pong"


class PageCloseCode(IntEnum):
    """Why a page's socket is closed."""

    BAD_FRAME = 1003
    TOO_LARGE = 1009
    UNCHECKED = 1013
    NOT_SIGNED_IN = 4401
    NOT_ALLOWED = 4403
    TOO_MANY = 4429


PAGE_FRAMES: Final = SocketFrames(
    from_client=(Subscribe, Unsubscribe, LivePing),
    to_client=(Subscribed, SubscriptionRefused, Invalidate, ChangedRows, LogText, LivePong),
    close_codes={
        PageCloseCode.BAD_FRAME: "Not a text frame of this protocol.",
        PageCloseCode.TOO_LARGE: "A frame is too large.",
        PageCloseCode.UNCHECKED: "Rights cannot be checked now.",
        PageCloseCode.NOT_SIGNED_IN: "Not signed in, or not any more.",
        PageCloseCode.NOT_ALLOWED: "A topic is not allowed any more.",
        PageCloseCode.TOO_MANY: "Too many sockets of this user, or too many frames.",
    },
)
ClientFrame = Annotated[Subscribe | Unsubscribe | LivePing, Field(discriminator="op")]

_client_frame: Final[TypeAdapter[ClientFrame]] = TypeAdapter(ClientFrame)


def decode_frame(text: str) -> Subscribe | Unsubscribe | LivePing:
    """Read a frame that a page sent; raises `BadPageFrameError`."""
    try:
        return _client_frame.validate_json(text, strict=True)
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadPageFrameError from error


@lru_cache(maxsize=1024)
def encode_invalidation(topic: str, seq: int) -> str:
    """Write the frame that makes a page fetch a topic again; all pages that follow it get the same."""
    return encode_frame(Invalidate(topic=topic, seq=seq))


def encode_frame(frame: PageFrame) -> str:
    """Write a frame as one text message."""
    return frame.model_dump_json()
