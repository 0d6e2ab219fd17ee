"""What the WebSockets of pages have in common; each protocol has a module of its own frames."""

from pydantic import BaseModel, ConfigDict


class PageFrame(BaseModel):
    """Base of all frames: immutable; unknown fields are ignored, so that versions can overlap."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class BadPageFrameError(Exception):
    """The text is not a frame of this protocol."""
