"""A container that lost its card while it ran: what its own `nvidia-smi` says; pure.

A reload of systemd takes the device away from running containers (NVIDIA/nvidia-container-toolkit
issue 48). The work sees CUDA errors that look like its own faults, so the agent asks from inside.
"""

from typing import Final

ASK: Final = ("nvidia-smi", "-L")
SAID: Final = ("Failed to initialize NVML: Unknown Error", "Unable to determine the device handle")
"""What it says when the device is there and may not be opened, or is not there any more."""
NOT_FOUND: Final = frozenset({126, 127})
"""The image has no such program: nothing is known."""
TWICE: Final = 2


def has_lost(code: int, output: str) -> bool | None:
    """Tell whether the device is gone; None when the answer means nothing."""
    if any(words in output for words in SAID):
        return True
    if code == 0:
        return False
    return None


def after(before: int, *, answer: bool | None) -> int:
    """Return how many answers in a row have said that it is gone."""
    if answer is None:
        return before
    return before + 1 if answer else 0


def is_certain(times: int) -> bool:
    """Tell whether it is time to act: one bad answer may come from a driver that is busy."""
    return times >= TWICE
