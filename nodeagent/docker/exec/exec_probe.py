"""Runs short programs inside containers, through the engine's `exec`.

Program and output belong to the tenant: output may be endless, or never come. So it is limited, a
probe that hangs keeps no resources of the agent, and no other is started until it has ended.
"""

import asyncio
from collections.abc import Sequence

from docker.errors import APIError, NotFound

from nodeagent.access.session import AccessError
from nodeagent.core.state import ContainerKey
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.exec.exec_adapter import DockerExecAdapter, ExecSession
from nodeagent.host.commands import NOT_FOUND, OUTPUT_MAX, TIMED_OUT, CommandResult
from nodeagent.ports import RuntimeUnavailableError
from nodeagent.sharing.exec_probe import PROBE_S


class DockerExecProbe:
    """The `ExecProbe` port over the engine's `exec`, as the container's own user."""

    def __init__(self, node: str, engine: DockerEngine) -> None:
        self._engine = engine
        self._exec_adapter = DockerExecAdapter(node, engine.host, engine)
        self._hanging: dict[ContainerKey, str] = {}
        """Probes without an answer, by the engine's ids."""

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        """Return the program's result; a program that cannot run or answer has a failed one."""
        try:
            async with asyncio.timeout(within_s):
                if await self._is_hanging(key):
                    return CommandResult(TIMED_OUT, f"{argv[0]}: the last one has not ended")
                session = await self._exec_adapter.open_exec(key, list(argv), None, {})
                return await self._read_answer(key, session)
        except AccessError as error:
            return CommandResult(NOT_FOUND, error.detail)
        except (APIError, RuntimeUnavailableError) as error:
            return CommandResult(TIMED_OUT, str(error))
        except TimeoutError:
            return CommandResult(TIMED_OUT, f"{argv[0]} did not end within {within_s:g} s")

    async def _is_hanging(self, key: ContainerKey) -> bool:
        """Return whether the last probe still runs: another one would only hang as well."""
        name = self._hanging.get(key)
        if name is None:
            return False
        try:
            found = await self._engine.call(
                lambda: self._engine.quick_client.api.exec_inspect(name)
            )
        except NotFound:
            found = {"Running": False}
        if not found["Running"]:
            del self._hanging[key]
        return key in self._hanging

    async def _read_answer(self, key: ContainerKey, session: ExecSession) -> CommandResult:
        """Read to the end, or to the limit; a program that continues after that hangs."""
        output = b""
        self._hanging[key] = session.identity
        try:
            while len(output) < OUTPUT_MAX:
                part = await session.read()
                if part is None:
                    code = await session.wait_for_exit()
                    del self._hanging[key]
                    text = output.decode("utf-8", "replace")
                    return CommandResult(NOT_FOUND if code is None else code, text)
                output += part[1]
            return CommandResult(TIMED_OUT, "it says more than an answer has room for")
        finally:
            await session.close()
