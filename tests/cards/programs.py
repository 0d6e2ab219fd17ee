"""Programs of `cuda.py` as processes of their own, as the work of a container is."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final

from nodeagent.ports import Injection

PROGRAM: Final = (sys.executable, str(Path(__file__).with_name("cuda.py")))
ANSWER_S: Final = 90.0


class CudaError(Exception):
    """CUDA refused what a program was told; the message is CUDA's name of the error."""


class CudaProgram:
    """One running program."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """Return its number on this host."""
        return self._process.pid

    async def tell(self, *words: object) -> Any:
        """Give it a command, and return what it answers; raises `CudaError`."""
        await self.say(*words)
        return await self.hear()

    async def say(self, *words: object) -> None:
        """Give it a command without waiting for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        await self._process.stdin.drain()

    async def hear(self) -> Any:
        """Return the answer to the oldest command without one."""
        assert self._process.stdout is not None
        async with asyncio.timeout(ANSWER_S):
            line = await self._process.stdout.readline()
        assert line, f"the program ended with {await self._process.wait()}"
        answer = json.loads(line)
        if "error" in answer:
            raise CudaError(answer["error"])
        return answer["ok"]

    async def end(self) -> None:
        """Kill it, wherever it is, and wait until it is gone."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@asynccontextmanager
async def a_program(
    injection: Injection | None = None, argv: Sequence[str] = PROGRAM
) -> AsyncIterator[CudaProgram]:
    """A program that has started; with what a mode injects into a container, mounts included."""
    wanted = injection or Injection()
    process = await asyncio.create_subprocess_exec(
        *in_mounts(wanted, argv),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **wanted.env},
    )
    program = CudaProgram(process)
    try:
        yield program
    finally:
        await program.end()


def in_mounts(injection: Injection, argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command in a mount namespace of its own, in which the mounts are made."""
    if not injection.mounts:
        return tuple(argv)
    script = "".join(
        f"mkdir -p {PurePosixPath(mount.target).parent}; "
        f"{'mkdir -p' if mount.source.is_dir() else 'touch'} {mount.target}; "
        f"mount --bind {mount.source} {mount.target} || exit 99; "
        for mount in injection.mounts
    )
    return ("unshare", "--mount", "--", "sh", "-c", f'{script}exec "$@"', "sh", *argv)
