"""One push of an image: its progress from the engine's layer reports, its digest, or its error."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

import docker
import requests

from nodeagent.core.image_saves import ImageSaveError, TransientSaveError
from nodeagent.docker.engine.errors import REGISTRY_UNREACHABLE, classify_engine_error
from nodeagent.docker.engine.reports import EngineReports
from nodeagent.docker.images.pull import encode_login
from wire.images import RegistryLogin

STALL_S: Final = 300
"""After so long without a report a push is given up: the registry takes nothing any more."""
SENT: Final = frozenset({"Pushed", "Layer already exists"})
MOUNTED: Final = "Mounted from"
"""The registry has the layer in another repository; the engine names it after these words."""


@dataclass(slots=True)
class PushedLayer:
    """One layer as far as the engine has reported it; bytes are unpacked ones."""

    sent: int = 0
    size: int = 0


@dataclass(slots=True)
class PushProgress:
    """Adds up the reports of all layers that the registry lacks; pure."""

    layers: dict[str, PushedLayer] = field(default_factory=dict)
    digest: str = ""

    def add_report(self, report: Mapping[str, Any]) -> None:
        """Add one line of the stream."""
        self.digest = str((report.get("aux") or {}).get("Digest", self.digest))
        status, name = str(report.get("status", "")), str(report.get("id", ""))
        progress = report.get("progressDetail") or {}
        if status == "Pushing":
            layer = self.layers.setdefault(name, PushedLayer())
            # A layer is measured before it is packed: the engine may send more than it announced.
            layer.size = max(layer.size, progress.get("total") or 0)
            layer.sent = min(progress.get("current") or layer.sent, layer.size)
        elif name in self.layers and (status in SENT or status.startswith(MOUNTED)):
            self.layers[name].sent = self.layers[name].size

    @property
    def sent_bytes(self) -> int:
        """What was sent."""
        return sum(layer.sent for layer in self.layers.values())

    @property
    def total_bytes(self) -> int:
        """Of how much, as far as it is known."""
        return sum(layer.size for layer in self.layers.values())


class Push:
    """One push, run in a thread of the caller's; other threads may read its progress and cancel it."""

    def __init__(
        self, client_for: Callable[[int], docker.DockerClient], reference: str, login: RegistryLogin
    ) -> None:
        """`client_for` opens a client that waits so many seconds for each next byte."""
        self.sent_bytes = self.total_bytes = 0
        self._client_for = client_for
        self._reference = reference
        self._login = login
        self._reports = EngineReports(self._response, to_save_error)

    def run(self) -> str:
        """Push, and return the digest of the manifest; raises `ImageSaveError`."""
        progress = PushProgress()
        with closing(self._reports.read()) as reports:
            for report in reports:
                progress.add_report(report)
                self.sent_bytes, self.total_bytes = progress.sent_bytes, progress.total_bytes
        if not progress.digest:
            # A stream that breaks off looks like one that ends.
            raise TransientSaveError(REGISTRY_UNREACHABLE.code, "the push broke off")
        return progress.digest

    def cancel(self) -> None:
        """Close the stream: the engine then ends the push."""
        self._reports.cancel()

    def _response(self) -> requests.Response:
        """Request the push. Not by the SDK's own call, which never times out on a registry that hangs."""
        api = self._client_for(STALL_S).api
        name, _, tag = self._reference.rpartition(":")
        return api.post(
            f"{api.base_url}/v{api.api_version}/images/{name}/push",
            params={"tag": tag},
            headers={"X-Registry-Auth": encode_login(self._login)},
            stream=True,
            timeout=STALL_S,
        )


def to_save_error(text: str) -> ImageSaveError:
    """Return the error of a save for this message of the engine."""
    fault = classify_engine_error(text)
    kind = TransientSaveError if fault.is_transient else ImageSaveError
    return kind(fault.code, text)
