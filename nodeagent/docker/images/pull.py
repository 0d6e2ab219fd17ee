"""One pull of an image: its progress from the engine's layer reports, or its error."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

import docker
import requests
from docker.auth import encode_header, get_config_header, resolve_repository_name
from docker.errors import InvalidRepository
from docker.utils import parse_repository_tag

from nodeagent.docker.engine.errors import (
    IMAGE_NAME_INVALID,
    IMAGE_TOO_LARGE,
    start_error_of,
    to_start_error,
)
from nodeagent.docker.engine.reports import EngineReports
from wire.images import RegistryLogin

MIB: Final = 1024 * 1024
STALL_S: Final = 120
"""After so long without data a pull is given up: the registry has stopped sending."""
DOWNLOAD_SHARE: Final = 70
"""Percent of the whole for downloading a layer; the rest is for unpacking."""
ARRIVED: Final = frozenset({"Download complete", "Verifying Checksum"})
DONE: Final = frozenset({"Pull complete", "Already exists"})
LAYERS: Final = frozenset({"Pulling fs layer", "Waiting", "Downloading", "Extracting"})


@dataclass(slots=True)
class ImageLayer:
    """One layer as far as the engine has reported it; bytes are compressed ones."""

    fetched: int = 0
    unpacked: int = 0
    size: int = 0
    """0 until the engine has reported it."""


@dataclass(slots=True)
class PullProgress:
    """Adds up the reports of all layers; pure."""

    layers: dict[str, ImageLayer] = field(default_factory=dict)

    def add_report(self, report: Mapping[str, Any]) -> None:
        """Add one line of the stream."""
        status, name = report.get("status", ""), report.get("id", "")
        if not name or status not in LAYERS | ARRIVED | DONE:
            return
        layer = self.layers.setdefault(name, ImageLayer())
        progress = report.get("progressDetail") or {}
        layer.size = max(layer.size, progress.get("total") or 0)
        if status == "Downloading":
            layer.fetched = progress.get("current") or layer.fetched
        elif status in ARRIVED:
            layer.fetched = layer.size
        elif status == "Extracting":
            layer.fetched, layer.unpacked = layer.size, progress.get("current") or layer.unpacked
        elif status in DONE:
            layer.size = layer.size or 1
            layer.fetched = layer.unpacked = layer.size

    @property
    def total_bytes(self) -> int:
        """The known compressed size."""
        return sum(layer.size for layer in self.layers.values())

    @property
    def percent(self) -> int:
        """How far the pull is, 0 to 100; layers of unknown size count as the mean."""
        sizes = [layer.size for layer in self.layers.values() if layer.size]
        if not sizes:
            return 0
        mean = sum(sizes) // len(sizes)
        whole = 100 * sum(layer.size or mean for layer in self.layers.values())
        parts = (
            DOWNLOAD_SHARE * min(layer.fetched, layer.size)
            + (100 - DOWNLOAD_SHARE) * min(layer.unpacked, layer.size)
            for layer in self.layers.values()
        )
        return 100 * sum(parts) // whole


class Pull:
    """One pull, run in a thread of the caller's; other threads may read its progress and cancel it."""

    def __init__(
        self,
        client_for: Callable[[int], docker.DockerClient],
        reference: str,
        bytes_max: int,
        login: RegistryLogin | None = None,
    ) -> None:
        """`client_for` opens a client that waits so many seconds for each next byte.

        Without `login`, the agent's own Docker configuration is used.
        """
        self.percent = 0
        self._login = login
        self._client_for = client_for
        self._reference = reference
        self._bytes_max = bytes_max
        self._reports = EngineReports(self._response, to_start_error)

    def run(self) -> None:
        """Pull; raises `StartError`."""
        progress = PullProgress()
        with closing(self._reports.read()) as reports:
            for report in reports:
                progress.add_report(report)
                if progress.total_bytes > self._bytes_max:
                    raise start_error_of(IMAGE_TOO_LARGE, f"more than {self._bytes_max // MIB} MiB")
                self.percent = max(self.percent, progress.percent)

    def cancel(self) -> None:
        """Close the stream: the engine then ends the pull, unless another client waits for it too."""
        self._reports.cancel()

    def _response(self) -> requests.Response:
        """Request the pull. Not by `api.pull`, which never times out on a registry that hangs."""
        api = self._client_for(STALL_S).api
        name, tag = parse_repository_tag(self._reference)
        try:
            header = _login_header(api, resolve_repository_name(name)[0], self._login)
        except InvalidRepository as error:
            raise start_error_of(IMAGE_NAME_INVALID, str(error)) from error
        return api.post(
            f"{api.base_url}/v{api.api_version}/images/create",
            params={"fromImage": name, "tag": tag or "latest"},
            headers={"X-Registry-Auth": header} if header else {},
            stream=True,
            timeout=STALL_S,
        )


def _login_header(api: docker.APIClient, host: str, login: RegistryLogin | None) -> bytes | None:
    """Return the header of a login, which is for its own registry only."""
    if login is None or login.host != host:
        return get_config_header(api, host)
    return encode_login(login)


def encode_login(login: RegistryLogin) -> bytes:
    """Return a login as the engine takes it in a header, never on a command line."""
    words = {
        "username": login.username,
        "password": login.password,
        "serveraddress": login.host,
    }
    return bytes(encode_header(words))
