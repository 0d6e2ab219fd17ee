"""What the numbers mean that NVIDIA's driver reports of a card's errors ("Xid").

Buckets after the immediate actions of NVIDIA's catalog for Ampere and newer, by what an operator has
to do: a lost card needs a reboot (RESTART_BM), a broken one a reset or an exchange (RESET_GPU,
CHECK_MECHANICALS, RESTART_VM, and the workflows of 48 and 74), the rest is told and counted
(RESTART_APP, IGNORE, CONTACT_SUPPORT, and what has no action). Read in November 2026 from
https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
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
    74,  # NVLink, up to Hopper
    95,  # uncontained memory error
    109,  # context switch timed out
    110,  # security fault
    119,  # GSP does not answer
    120,  # GSP failed
    136,  # link training failed
    140,  # unrecovered memory error
    143,  # initialisation failed
    150,  # NVLink's engine failed; all its sub-codes ask for a reset
    151,  # key rotation failed
    155,  # NVLink went down
    156,  # resource retired
    158,  # fatal time-out
)

XIDS: Final[Mapping[int, XidClass]] = MappingProxyType(
    dict.fromkeys(_LOST, XidClass.LOST) | dict.fromkeys(_BROKEN, XidClass.BROKEN)
)
"""Everything that is not told and counted.

Not here, though they may mean a reset: 144 to 149, which only their sub-codes tell apart, and 154,
which says that the driver's advice for another Xid has changed, also for the better. The advice
itself is read from the card (`nodeagent.gpu.drivers.nvidia_card`).
"""


def classify_xid(code: int) -> XidClass:
    """Return what an Xid means; unknown ones are told and counted, and so limited by their rate."""
    return XIDS.get(code, XidClass.TOLD)
