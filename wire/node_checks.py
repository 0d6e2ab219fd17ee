"""What the doctor of a node finds on its host: `POST /node/v1/checks`.

Beside the heartbeat, which nothing of this may delay or lengthen; each report is the whole list.
"""

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from wire.values import Identifier, Message
from wire.words import CheckLevel

CHECKS_MAX: Final = 64
"""Checks that one report lists."""
CHECK_TEXT_MAX: Final = 400
"""Characters of the words of a check."""
FIX_MAX: Final = 1000
"""Characters of a command that repairs what a check found; a longer one is left out."""

CheckText = Annotated[str, StringConstraints(max_length=CHECK_TEXT_MAX)]


class NodeCheck(Message):
    """The outcome of one check."""

    code: Identifier
    level: CheckLevel
    en: CheckText
    zh: CheckText
    fix: Annotated[str, StringConstraints(max_length=FIX_MAX)] = ""
    """A command for a root shell on the host; empty if there is none."""


class NodeChecksReport(Message):
    """The outcome of all checks."""

    checks: Annotated[tuple[NodeCheck, ...], Field(max_length=CHECKS_MAX)] = ()


class ChecksTaken(Message):
    """The answer: nothing is ordered."""
