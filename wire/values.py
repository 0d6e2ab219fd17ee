"""What every message is made of: plain, bounded values."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^\w[\w.:-]*$")]
ShortText = Annotated[str, StringConstraints(max_length=200)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Millis = Annotated[int, Field(ge=0, le=2**53)]

Port = Annotated[int, Field(ge=1, le=65535)]

DEVICES_MAX = 64


class Message(BaseModel):
    """Base of all messages: immutable; unknown fields are ignored, so that N-1 can talk to N."""

    model_config = ConfigDict(frozen=True, extra="ignore")
