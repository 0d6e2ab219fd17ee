"""Classifies the error numbers ("Xid") that NVIDIA's driver reports for a card.

The classes follow the immediate actions of NVIDIA's catalog for Ampere and newer: a lost card needs
a reboot (RESTART_BM), a broken one a reset or replacement (RESET_GPU, CHECK_MECHANICALS,
RESTART_VM, and the workflows of 48 and 74), all others are only reported and counted (RESTART_APP,
IGNORE, CONTACT_SUPPORT, and those without action). Read in November 2026 from
https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
"""

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Final


class XidClass(Enum):
    """What an Xid means for the card."""

    LOST = auto()
    """It is off the bus: nothing on it continues."""
    BROKEN = auto()
    """It must not be used until it is reset or replaced."""
    REPORTED = auto()
    """Caused by the work, or handled by the card, which stays in service."""


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
    158,  # fatal timeout
)

XIDS: Final[Mapping[int, XidClass]] = MappingProxyType(
    dict.fromkeys(_LOST, XidClass.LOST) | dict.fromkeys(_BROKEN, XidClass.BROKEN)
)
"""The Xids that are not just reported and counted.

Not included, though they may require a reset: 144 to 149, which only their sub-codes distinguish,
and 154, which reports a change, possibly an improvement, of the advised recovery action. That
action itself is read from the card (`nodeagent.gpu.drivers.nvidia_card`).
"""


def classify_xid(code: int) -> XidClass:
    """Return the class of an Xid; unknown ones are only reported, so their rate is limited."""
    return XIDS.get(code, XidClass.REPORTED)
