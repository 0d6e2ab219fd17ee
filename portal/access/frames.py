"""What a page and its terminal say to each other beside the bytes, which are binary frames."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

FRAME_MAX: Final = 4096
"""Characters of one text frame from a page."""
TYPED_MAX: Final = 1024 * 1024
"""Bytes of one binary frame from a page: a large paste."""
Columns = Annotated[int, Field(ge=1, le=1000)]


class Frame(BaseModel):
    """Base of all frames: immutable; unknown fields are ignored, so that versions can overlap."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Resize(Frame):
    """The page's window has another size now, in characters."""

    type: Literal["resize"]
    columns: Columns
    rows: Columns


class Ping(Frame):
    """Is anybody there?"""

    type: Literal["ping"]


class Ready(Frame):
    """The shell is there."""

    type: Literal["ready"] = "ready"
    session: str
    """Name by which the page comes back to this shell within five minutes."""
    is_resumed: bool
    """What was printed lately comes again."""


class Pong(Frame):
    """Somebody is there."""

    type: Literal["pong"] = "pong"


class Exited(Frame):
    """The shell has ended by itself."""

    type: Literal["exited"] = "exited"
    code: int | None


class Closed(Frame):
    """The terminal was closed, or never opened; `code` says why, for a sentence of the page."""

    type: Literal["closed"] = "closed"
    code: str
    params: Mapping[str, int | str | list[str]] = {}


FromPage = Annotated[Resize | Ping, Field(discriminator="type")]

_from_page: Final[TypeAdapter[FromPage]] = TypeAdapter(FromPage)


class BadFrameError(Exception):
    """The text is not a frame of this protocol."""


def decode(text: str) -> Resize | Ping:
    """Read a frame that a page sent; raises `BadFrameError`."""
    if len(text) > FRAME_MAX:
        raise BadFrameError
    try:
        return _from_page.validate_json(text)
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadFrameError from error
