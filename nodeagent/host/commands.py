"""Runs programs of the host, each with a deadline; the agent runs programs in no other way."""

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

DEADLINE_S: Final = 10.0
OUTPUT_MAX: Final = 64 * 1024
TIMED_OUT: Final = 124
NOT_FOUND: Final = 127


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit code and output of a program, standard error included."""

    code: int
    output: str

    @property
    def is_success(self) -> bool:
        """Return whether the program succeeded."""
        return self.code == 0

    @property
    def last_line(self) -> str:
        """Return its last line of output, shortened for a report."""
        lines = self.output.strip().splitlines()
        return lines[-1][:160] if lines else f"exit code {self.code}"


class CommandRunner(Protocol):
    """Runs a program to its end."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        env: Mapping[str, str] | None = None,
        within_s: float = DEADLINE_S,
    ) -> CommandResult:
        """Return its result: a failed one, not an exception, if it is missing or too slow.

        `text` is its input; `env` is added to a minimal environment.
        """


class HostCommandRunner:
    """The port over subprocesses. Programs that exceed their deadline are killed."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        env: Mapping[str, str] | None = None,
        within_s: float = DEADLINE_S,
    ) -> CommandResult:
        """Run the program, found by name on the agent's search path."""
        bare = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **(env or {})}
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=PIPE if text else DEVNULL, stdout=PIPE, stderr=STDOUT, env=bare
            )
        except OSError as error:
            return CommandResult(NOT_FOUND, f"{argv[0]}: {error.strerror}")
        try:
            async with asyncio.timeout(within_s):
                data, _ = await process.communicate(text.encode() if text else None)
        except TimeoutError:
            return CommandResult(TIMED_OUT, f"{argv[0]} did not end within {within_s:g} s")
        finally:
            await _reap(process)
        output = data[:OUTPUT_MAX].decode("utf-8", "replace")
        return CommandResult(
            process.returncode if process.returncode is not None else TIMED_OUT, output
        )


async def _reap(process: Process) -> None:
    """Kill and reap the process if it is still running."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
