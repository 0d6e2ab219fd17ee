"""Which images this agent has pulled, and when each was last needed; survives the agent."""

from pathlib import Path
from typing import Final

from nodeagent.disk.atomic_json import read_json, write_json

ARRIVALS: Final = "image-arrivals.json"


class ImageLedger:
    """Two small files. An image that is not in it was imported or built by an administrator."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._arrivals_path = path.with_name(ARRIVALS)

    def record_pull(self, reference: str, at: int) -> None:
        """Record that this agent has pulled the image, at a wall time in milliseconds."""
        self._write({**self._read(), reference: 0})
        write_json(self._arrivals_path, {**self.arrivals(), reference: at})

    def record_use(self, reference: str, at: int) -> None:
        """Record the use of an image, at a wall time in milliseconds, if this agent has pulled it."""
        times = self._read()
        if reference in times:
            self._write({**times, reference: at})

    def forget(self, reference: str) -> None:
        """Drop an image that is gone."""
        self._write({name: at for name, at in self._read().items() if name != reference})
        left = {name: at for name, at in self.arrivals().items() if name != reference}
        write_json(self._arrivals_path, left)

    def least_recently_used(self) -> tuple[str, ...]:
        """Return all pulled images, the longest unused first."""
        times = self._read()
        return tuple(sorted(times, key=lambda name: times[name]))

    def use_times(self) -> dict[str, int]:
        """Return when each pulled image was last needed, the longest unused first; 0 is never."""
        times = self._read()
        return {name: times[name] for name in sorted(times, key=lambda name: times[name])}

    def arrivals(self) -> dict[str, int]:
        """Return when each image was pulled, as far as that was recorded."""
        return dict(read_json(self._arrivals_path) or {})

    def _read(self) -> dict[str, int]:
        return dict(read_json(self._path) or {})

    def _write(self, times: dict[str, int]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, times)
