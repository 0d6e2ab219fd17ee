"""The reports that the engine streams while it pulls or pushes an image."""

import json
import threading
from collections.abc import Callable, Generator, Mapping
from typing import Any

import requests
from docker.types import CancellableStream

from nodeagent.docker.engine.client import close_stream


class EngineReports:
    """One stream of reports, read in one thread; any other thread may end it."""

    def __init__(
        self, ask: Callable[[], requests.Response], to_error: Callable[[str], Exception]
    ) -> None:
        """`ask` requests the stream; `to_error` gives what is raised for words of a refusal."""
        self._ask, self._to_error = ask, to_error
        self._guard = threading.Lock()
        self._is_cancelled = False
        self._stream: CancellableStream[bytes] | None = None

    def read(self) -> Generator[Mapping[str, Any]]:
        """Yield each report; one that names an error is raised."""
        with self._ask() as response:
            if not response.ok:
                raise self._to_error(str(response.json().get("message", response.reason)))
            stream = CancellableStream(response.iter_lines(), response)
            with self._guard:
                self._stream = stream
                if self._is_cancelled:
                    return
            try:
                for line in stream:
                    if line:
                        yield self._checked(json.loads(line))
            finally:
                with self._guard:
                    self._stream = None

    def cancel(self) -> None:
        """Close the stream; one that is yet to be read will yield nothing."""
        with self._guard:
            self._is_cancelled = True
            if self._stream is not None:
                close_stream(self._stream)

    def _checked(self, report: Mapping[str, Any]) -> Mapping[str, Any]:
        if "error" in report:
            raise self._to_error(str(report["error"]))
        return report
