"""Asking a container from within: a short program, run beside its work by the engine."""

from collections.abc import Sequence
from typing import Any

from docker.errors import APIError

from nodeagent.core.state import Key
from nodeagent.docker.container_spec import container_name
from nodeagent.docker.engine import Engine
from nodeagent.ports import RuntimeUnavailableError
from nodeagent.sharing.commands import NOT_FOUND, TIMED_OUT, Result
from nodeagent.sharing.inside import ASK_S


class DockerInside:
    """The `Inside` port over the engine's `exec`, as the container's own user."""

    def __init__(self, node: str, engine: Engine) -> None:
        self._node = node
        self._engine = engine

    async def ask(self, key: Key, argv: Sequence[str], within_s: float = ASK_S) -> Result:
        """Return what the program said; whatever keeps it from speaking is a bad result."""
        name = container_name(self._node, key)

        def run() -> Result:
            api = self._engine.client.api
            made: dict[str, Any] = api.exec_create(name, list(argv))
            said: bytes = api.exec_start(made["Id"])
            code = api.exec_inspect(made["Id"])["ExitCode"]
            return Result(NOT_FOUND if code is None else code, said.decode("utf-8", "replace"))

        try:
            return await self._engine.call(run, within_s)
        except APIError as error:
            return Result(NOT_FOUND, str(error.explanation or error))
        except RuntimeUnavailableError as error:
            return Result(TIMED_OUT, str(error))
