"""What every message is made of: plain, bounded values."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^\w[\w.:-]*$")]
ShortText = Annotated[str, StringConstraints(max_length=200)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Millis = Annotated[int, Field(ge=0, le=2**53)]

PORT_MAX = 65_535
"""Highest port."""
DEVICES_MAX = 64
"""Cards of one node, and devices of one container."""
SLOT_MAX = 255
"""Highest number of a card on its node, of an island, and of a slot on a card: all fit one byte."""

Port = Annotated[int, Field(ge=1, le=PORT_MAX)]


class Message(BaseModel):
    """Base of all messages: immutable; unknown fields are ignored, so that N-1 can talk to N."""

    model_config = ConfigDict(frozen=True, extra="ignore")
