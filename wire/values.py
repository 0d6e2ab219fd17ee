"""The bounded value types that all messages are made of."""

import re
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

IDENTIFIER_MAX: Final = 64
"""Characters of an identifier."""
TEXT_MAX: Final = 200
"""Characters of a short text, such as the name of a card's model."""
COUNT_MAX: Final = 2**53
"""The largest integer that a double, and so every JSON reader, represents exactly."""
_IDENTIFIER: Final = r"\w[\w.:-]*"

Identifier = Annotated[
    str, StringConstraints(min_length=1, max_length=IDENTIFIER_MAX, pattern=f"^{_IDENTIFIER}$")
]
ShortText = Annotated[str, StringConstraints(max_length=TEXT_MAX)]
Count = Annotated[int, Field(ge=0, le=COUNT_MAX)]
Millis = Annotated[int, Field(ge=0, le=COUNT_MAX)]

PORT_MAX = 65_535
"""Highest port."""
DEVICES_MAX = 64
"""Cards of one node, and devices of one container."""
SLOT_MAX = 255
"""Highest number of a card on its node, of an island, and of a slot on a card: all fit one byte."""

Port = Annotated[int, Field(ge=1, le=PORT_MAX)]


class Message(BaseModel):
    """Base of all messages: immutable; ignores unknown fields, so that versions interoperate."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def is_identifier(text: str) -> bool:
    """Return whether a text is a valid `Identifier`."""
    return len(text) <= IDENTIFIER_MAX and re.fullmatch(_IDENTIFIER, text) is not None
