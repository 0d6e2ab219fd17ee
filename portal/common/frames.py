"""What the WebSockets of pages have in common; each protocol has a module of its own frames."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict


class PageFrame(BaseModel):
    """Base of all frames: immutable; unknown fields are ignored, so that versions can overlap."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", json_schema_serialization_defaults_required=True
    )


class BadPageFrameError(Exception):
    """The text is not a frame of this protocol."""


@dataclass(frozen=True, slots=True)
class SocketFrames:
    """What passes through a WebSocket once it is open, as text messages of JSON."""

    from_client: tuple[type[PageFrame], ...]
    to_client: tuple[type[PageFrame], ...]
    close_codes: Mapping[int, str]
    binary: str = ""
    """What binary messages are; empty where there are none."""

    def models(self) -> list[tuple[type[BaseModel], Literal["validation", "serialization"]]]:
        """Return all frames, each with the side of its fields that the client has."""
        return [
            *((frame, "validation") for frame in self.from_client),
            *((frame, "serialization") for frame in self.to_client),
        ]
