"""Which images this agent has pulled, and when each was last needed; survives the agent."""

from pathlib import Path

from nodeagent.disk.atomic_json import read_json, write_json


class ImageLedger:
    """A small file. An image that is not in it was imported or built by an administrator."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def record_pull(self, reference: str) -> None:
        """Record that this agent has pulled the image."""
        self._write({**self._read(), reference: 0})

    def record_use(self, reference: str, at: int) -> None:
        """Record the use of an image, at a wall time in milliseconds, if this agent has pulled it."""
        times = self._read()
        if reference in times:
            self._write({**times, reference: at})

    def forget(self, reference: str) -> None:
        """Drop an image that is gone."""
        self._write({name: at for name, at in self._read().items() if name != reference})

    def least_recently_used(self) -> tuple[str, ...]:
        """Return all pulled images, the longest unused first."""
        times = self._read()
        return tuple(sorted(times, key=lambda name: times[name]))

    def _read(self) -> dict[str, int]:
        return dict(read_json(self._path) or {})

    def _write(self, times: dict[str, int]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, times)
