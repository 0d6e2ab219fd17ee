"""What an exit code says about the end of work that the platform did not stop."""

from dataclasses import replace
from typing import Final

from nodeagent.core.state import Finished
from wire.words import ExitCause

SIGNAL_EXIT_BASE: Final = 128
"""Exit code of a process that ended by signal N is 128 + N, as shells and engines report it."""
EXTERNAL_SIGNALS: Final = {1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 9: "SIGKILL", 15: "SIGTERM"}
"""Signals that another process sends: caused neither by the work nor by the platform."""
CRASH_SIGNALS: Final = {
    4: "SIGILL",
    5: "SIGTRAP",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    11: "SIGSEGV",
    24: "SIGXCPU",
    25: "SIGXFSZ",
    31: "SIGSYS",
}
"""Signals that a process causes itself: a crash is an end like any other exit code."""


def classify_exit_code(end: Finished) -> Finished:
    """Return the end with its signal named; the cause is `KILLED` when another process sent it."""
    number = (end.exit_code or 0) - SIGNAL_EXIT_BASE
    if number in EXTERNAL_SIGNALS:
        return replace(end, cause=ExitCause.KILLED, detail=EXTERNAL_SIGNALS[number])
    if number in CRASH_SIGNALS:
        return replace(end, detail=CRASH_SIGNALS[number])
    return end
