"""Asking a container from within: what its own processes see is the only proof of some limits."""

from collections.abc import Sequence
from typing import Final, Protocol

from nodeagent.core.state import Key
from nodeagent.host.commands import NOT_FOUND, Result

ASK_S: Final = 8.0


class Inside(Protocol):
    """Runs a short program in a live container, as its user and in its environment."""

    async def ask(self, key: Key, argv: Sequence[str], within_s: float = ASK_S) -> Result:
        """Return its result; a container that cannot be asked gives a bad one."""


class Nowhere:
    """The port for a runtime whose work has no inside of its own."""

    async def ask(self, key: Key, argv: Sequence[str], within_s: float = ASK_S) -> Result:
        """Know nothing."""
        del key, within_s
        return Result(NOT_FOUND, f"{argv[0]}: no container to run it in")
