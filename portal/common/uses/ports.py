"""Questions of apps to those above them, which they may not import; `portal.config` installs the answers."""

from typing import Generic, TypeVar

T = TypeVar("T")


class Port(Generic[T]):
    """One question, or a few that belong together, and who answers it in this process."""

    def __init__(self) -> None:
        """Have no answer yet."""
        self._answering: list[T] = []

    def install(self, answering: T) -> None:
        """Let that answer from now on."""
        self._answering[:] = [answering]

    def get(self) -> T:
        """Return who answers; raises `LookupError` before start-up."""
        return self._answering[-1]
