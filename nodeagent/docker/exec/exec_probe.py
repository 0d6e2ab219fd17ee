"""Asking a container from within: a short program, run beside its work by the engine.

Program and answer are the tenant's: it may say too much, or nothing, for ever. So an answer has a
limit, a question that hangs keeps nothing of the agent's, and no other is asked until it has ended.
"""

import asyncio
from collections.abc import Sequence

from docker.errors import APIError, NotFound

from nodeagent.access.session import AccessError
from nodeagent.core.state import Key
from nodeagent.docker.engine.client import Engine
from nodeagent.docker.exec.exec_adapter import DockerDoors, ExecSession
from nodeagent.host.commands import NOT_FOUND, OUTPUT_MAX, TIMED_OUT, Result
from nodeagent.ports import RuntimeUnavailableError
from nodeagent.sharing.exec_probe import ASK_S


class DockerInside:
    """The `Inside` port over the engine's `exec`, as the container's own user."""

    def __init__(self, node: str, engine: Engine) -> None:
        self._engine = engine
        self._doors = DockerDoors(node, engine.host, engine)
        self._hanging: dict[Key, str] = {}
        """Questions without an answer, by the engine's names for them."""

    async def ask(self, key: Key, argv: Sequence[str], within_s: float = ASK_S) -> Result:
        """Return what the program said; whatever keeps it from speaking is a bad result."""
        try:
            async with asyncio.timeout(within_s):
                if await self._hangs(key):
                    return Result(TIMED_OUT, f"{argv[0]}: the last one has not ended")
                session = await self._doors.run(key, list(argv), None, {})
                return await self._answer(key, session)
        except AccessError as error:
            return Result(NOT_FOUND, error.detail)
        except (APIError, RuntimeUnavailableError) as error:
            return Result(TIMED_OUT, str(error))
        except TimeoutError:
            return Result(TIMED_OUT, f"{argv[0]} did not end within {within_s:g} s")

    async def _hangs(self, key: Key) -> bool:
        """Tell whether the last question still runs in there: one more would only join it."""
        name = self._hanging.get(key)
        if name is None:
            return False
        try:
            found = await self._engine.call(lambda: self._engine.client.api.exec_inspect(name))
        except NotFound:
            found = {"Running": False}
        if not found["Running"]:
            del self._hanging[key]
        return key in self._hanging

    async def _answer(self, key: Key, session: ExecSession) -> Result:
        """Read to the end, or to the limit; what goes on after that hangs."""
        said = b""
        self._hanging[key] = session.identity
        try:
            while len(said) < OUTPUT_MAX:
                part = await session.read()
                if part is None:
                    code = await session.ended()
                    del self._hanging[key]
                    text = said.decode("utf-8", "replace")
                    return Result(NOT_FOUND if code is None else code, text)
                said += part[1]
            return Result(TIMED_OUT, "it says more than an answer has room for")
        finally:
            await session.close()
