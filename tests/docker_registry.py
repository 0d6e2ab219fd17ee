"""A registry of images, as Debian has it (`docker-registry`), with a login and deletions."""

import gzip
import json
import os
import shutil
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from nodeagent.host.free_ports import find_free_port
from portal.images.registry import MANIFESTS
from tests.nodeagent.docker.daemon.images import MANIFEST, Packed
from tests.waiting import wait_until
from wire.images import RegistryLogin

USERNAME: Final = "berth"
PASSWORD: Final = "registry-pass-7c1d"
HTPASSWD: Final = "berth:$2b$04$eKm6R3hSUnQnSQMqkXO1PO2lZKjjmV91a9Rh426vPQpzWWRRxhTxa\n"
CONFIG: Final = """
version: 0.1
log: {{level: warn, accesslog: {{disabled: true}}}}
storage:
  filesystem: {{rootdirectory: {root}/data}}
  delete: {{enabled: true}}
auth: {{htpasswd: {{realm: berth, path: {root}/htpasswd}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


@dataclass(frozen=True)
class Answer:
    """What the registry said."""

    headers: Message
    content: bytes


@dataclass
class DockerRegistry:
    """A registry on loopback, which engines use without TLS."""

    port: int
    root: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def host(self) -> str:
        """What references begin with."""
        return f"127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """How a portal is given it."""
        return {
            "BERTH_REGISTRY": self.host,
            "BERTH_REGISTRY_URL": f"http://{self.host}",
            "BERTH_REGISTRY_USERNAME": USERNAME,
            "BERTH_REGISTRY_PASSWORD": PASSWORD,
        }

    def start(self) -> None:
        """Start it, also again, and wait until it answers."""
        program = registry_program()
        assert program is not None, "no registry; make test installs it"
        config = self.root / "config.yml"
        config.write_text(CONFIG.format(root=self.root, port=self.port))
        (self.root / "htpasswd").write_text(HTPASSWD)
        with (self.root / "registry.log").open("ab") as log:
            self.process = subprocess.Popen([program, "serve", config], stdout=log, stderr=log)
        wait_until(self._answers)

    def stop(self) -> None:
        """End it; what it has stays."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def manifest(self, repository: str, reference: str) -> dict[str, Any] | None:
        """Return a manifest; None where there is none."""
        try:
            return dict(json.loads(self._get(f"{repository}/manifests/{reference}")))
        except URLError:  # an answer with a status is one
            return None

    def blob(self, repository: str, digest: str) -> bytes:
        """Return a part of an image."""
        return self._get(f"{repository}/blobs/{digest}")

    def unpacked(self, repository: str, digest: str) -> bytes:
        """Return every byte of an image: its manifest, its configuration, its files."""
        manifest = self.manifest(repository, digest)
        assert manifest is not None
        raw = self.blob(repository, manifest["config"]["digest"])
        layers = [self.blob(repository, item["digest"]) for item in manifest["layers"]]
        files = [gzip.decompress(layer) for layer in layers]
        return b"".join([json.dumps(manifest).encode(), raw, *files])

    def push(self, repository: str, image: Packed, tag: str = "1") -> str:
        """Store an image without an engine, and return its digest."""
        for digest, content in image.blobs.items():
            begun = self._ask(f"http://{self.host}/v2/{repository}/blobs/uploads/", "POST")
            place = f"{begun.headers['Location']}&digest={quote(digest)}"
            self._ask(place, "PUT", content, "application/octet-stream")
        address = f"http://{self.host}/v2/{repository}/manifests/{tag}"
        return str(
            self._ask(address, "PUT", image.manifest, MANIFEST).headers["Docker-Content-Digest"]
        )

    def _answers(self) -> bool:
        try:
            self._get("")
        except OSError:
            return False
        return True

    def _get(self, path: str) -> bytes:
        return self._ask(f"http://{self.host}/v2/{path}").content

    def _ask(
        self, address: str, method: str = "GET", body: bytes | None = None, media: str = ""
    ) -> Answer:
        login = b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
        headers = {"Authorization": f"Basic {login}", "Accept": ", ".join(MANIFESTS)}
        if media:
            headers["Content-Type"] = media
        with urlopen(
            Request(address, method=method, data=body, headers=headers), timeout=30
        ) as answer:
            return Answer(answer.headers, bytes(answer.read()))


def registry_program() -> str | None:
    """Return the program of Debian's package."""
    return shutil.which("docker-registry")


@contextmanager
def docker_registry() -> Iterator[DockerRegistry]:
    """Return an empty registry for the length of a block."""
    root = Path(tempfile.mkdtemp(prefix="berth-registry-", dir=os.environ.get("TMPDIR")))
    registry = DockerRegistry(find_free_port("127.0.0.1"), root)
    try:
        registry.start()
        yield registry
    finally:
        registry.stop()
        shutil.rmtree(root)


class Logins:
    """The portal, which gives a node the login of a registry."""

    def __init__(self, host: str, password: str = PASSWORD) -> None:
        self.login = RegistryLogin(host=host, username=USERNAME, password=password)
        self.asked: list[str] = []

    async def fetch_registry_login(self, host: str = "") -> RegistryLogin:
        self.asked.append(host)
        return self.login
