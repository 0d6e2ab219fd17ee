"""Commands of Slurm, run on this host or on one that is reached over ssh; each ends within a time-out."""

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from portal.foreign.errors import RoundFailedError

TIMEOUT_S: Final = 30
"""How long a command of Slurm may take."""
OUTPUT_MAX: Final = 64 * 1024 * 1024
"""Bytes that a command may print."""
_SSH: Final = ("ssh", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={TIMEOUT_S // 3}", "--")
NO_HOST: Final = 255
"""Exit code of ssh itself."""


class CommandError(RoundFailedError):
    """A command failed, took too long, or its host was not reached; what it printed is its text."""

    def __init__(self, text: str, *, is_answered: bool = False) -> None:
        """`is_answered`: the program itself has ended with an error."""
        super().__init__(text[-2000:].strip())
        self.is_answered = is_answered


class Commands(Protocol):
    """Runs a command of Slurm's; a port."""

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Return what it printed; raises `CommandError`."""


@dataclass(frozen=True, slots=True)
class ShellCommands:
    """Commands as processes of their own."""

    host: str = ""
    """Reached by ssh, as its configuration says; empty is this host."""
    conf: str = ""
    """Path of the configuration file; empty is where the commands look for it."""

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Return what a command printed; one that takes too long is ended, there as well."""
        told = ("env", f"SLURM_CONF={self.conf}", *argv) if self.conf else tuple(argv)
        bounded = ("timeout", "--kill-after=5", str(TIMEOUT_S), *told)
        command = (*_SSH, self.host, shlex.join(bounded)) if self.host else bounded
        try:
            done = subprocess.run(
                command,
                input=stdin,
                capture_output=True,
                timeout=TIMEOUT_S + 10,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CommandError(str(error)) from error
        if done.returncode:
            is_answered = done.returncode not in (NO_HOST, 124, 125, 126, 127, 137)
            raise CommandError(done.stderr.decode(errors="replace"), is_answered=is_answered)
        return done.stdout[:OUTPUT_MAX]
