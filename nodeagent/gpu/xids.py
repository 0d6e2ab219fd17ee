"""What the numbers mean that NVIDIA's driver reports of a card's errors ("Xid").

Buckets after NVIDIA's XID catalog (docs.nvidia.com/deploy/xid-errors), by what an operator has to
do: a lost card needs a reboot, a broken one a reset or an exchange, the rest is told and counted.
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Final


class XidClass(Enum):
    """What an Xid says about the card."""

    LOST = auto()
    """It is off the bus: nothing on it goes on."""
    BROKEN = auto()
    """It cannot be trusted until it was reset or exchanged."""
    TOLD = auto()
    """The work did it, or the card has coped: the card stays in service."""


_LOST: Final = (79,)
_BROKEN: Final = (
    46,  # stopped processing
    48,  # uncorrectable memory error
    54,  # no auxiliary power
    62,  # micro-controller halted
    64,  # broken row could not be remapped
    74,  # NVLink
    95,  # uncontained memory error
    109,  # context switch timed out
    110,  # security fault
    119,  # GSP does not answer
    120,  # GSP failed
    136,  # link training failed
    140,  # unrecovered memory error
    143,  # initialisation failed
    154,  # the driver asks for a reset or a reboot
    155,  # NVLink went down
    156,  # resource retired
    158,  # fatal time-out
)

XIDS: Final[Mapping[int, XidClass]] = MappingProxyType(
    dict.fromkeys(_LOST, XidClass.LOST) | dict.fromkeys(_BROKEN, XidClass.BROKEN)
)
"""Everything that is not told and counted."""


def classify(code: int) -> XidClass:
    """Return what an Xid means; unknown ones are told and counted, and so limited by their rate."""
    return XIDS.get(code, XidClass.TOLD)
