"""A registry that speaks just enough of the v2 protocol, and misbehaves on command."""

import json
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from typing_extensions import override

from tests.nodeagent.docker.daemon.images import MANIFEST, Packed, digest_of, one_file_root, packed
from tests.waiting import PATIENCE_S


@dataclass
class Repository:
    """One name with one image, and how it is served."""

    image: Packed
    needs_login: bool = False
    busy: int = 0
    """So many requests for the manifest are answered with 429."""
    cuts: int = 0
    """So many transfers of the layer end in the middle."""
    is_corrupt: bool = False
    """The layer's bytes are others than its digest says."""
    half: threading.Event | None = None
    """Set once half of the layer was sent."""
    rest: threading.Event | None = None
    """The second half waits for it."""
    asked: Counter[str] = field(default_factory=Counter)
    """Requests by kind, `manifest` or `layer`."""


def random_image(size: int = 300_000) -> Repository:
    """Return an image that no engine has seen before."""
    return Repository(packed(one_file_root(os.urandom(size))))


class Registry:
    """Serves repositories on a loopback port; engines take that without TLS."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def serve(self, name: str, repository: Repository) -> str:
        """Offer an image, and return its reference."""
        self.repositories[name] = repository
        return self.reference(name)

    def reference(self, name: str) -> str:
        """Return what is pulled."""
        return f"127.0.0.1:{self._server.server_port}/{name}:1"

    def close(self) -> None:
        """Hang up for good."""
        for repository in self.repositories.values():
            if repository.rest is not None:
                repository.rest.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        repositories = self.repositories

        class Handler(_Handler):
            @override
            def repository(self, name: str) -> Repository | None:
                return repositories.get(name)

        return Handler


@contextmanager
def a_registry() -> Iterator[Registry]:
    """Return a registry for the length of a block."""
    registry = Registry()
    try:
        yield registry
    finally:
        registry.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def repository(self, name: str) -> Repository | None:
        """Return what is served under a name; nothing here."""
        return None

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""

    def _answer(self) -> None:
        parts = self.path.removeprefix("/v2/").rsplit("/", 2)
        if parts == [""]:
            self._send(200, b"{}")
            return
        name, kind, wanted = parts
        repository = self.repository(name)
        if repository is None:
            self._fail(404, "NAME_UNKNOWN", "repository name not known to registry")
        elif repository.needs_login:
            repository.asked[kind.removesuffix("s")] += 1
            self._fail(401, "UNAUTHORIZED", "authentication required")
        elif kind == "manifests":
            self._manifest(repository, wanted)
        else:
            self._blob(repository, wanted)

    def _manifest(self, repository: Repository, wanted: str) -> None:
        repository.asked["manifest"] += 1
        if repository.busy > 0:
            repository.busy -= 1
            self._fail(429, "TOOMANYREQUESTS", "slow down")
        elif wanted not in {"1", repository.image.digest}:
            self._fail(404, "MANIFEST_UNKNOWN", "manifest unknown")
        else:
            self._send(200, repository.image.manifest, MANIFEST)

    def _blob(self, repository: Repository, wanted: str) -> None:
        content = repository.image.blobs.get(wanted)
        if content is None:
            self._fail(404, "BLOB_UNKNOWN", "blob unknown")
        elif content == repository.image.layer:
            self._layer(repository, content)
        else:
            self._send(200, content)

    def _layer(self, repository: Repository, content: bytes) -> None:
        repository.asked["layer"] += 1
        if repository.is_corrupt:
            content = content[:-1] + bytes([content[-1] ^ 1])
        asked = self.headers.get("Range", "")
        begin = int(asked.removeprefix("bytes=").split("-")[0] or 0)
        piece = f"bytes {begin}-{len(content) - 1}/{len(content)}" if asked else ""
        content = content[begin:]
        middle = len(content) // 2
        self._head(206 if asked else 200, len(content), "application/octet-stream", piece=piece)
        self.wfile.write(content[:middle])
        self.wfile.flush()
        if repository.half is not None:
            repository.half.set()
        if repository.cuts > 0:
            repository.cuts -= 1
            self.close_connection = True
            return
        if repository.rest is not None:
            repository.rest.wait(PATIENCE_S)
        self.wfile.write(content[middle:])

    def _fail(self, status: int, code: str, message: str) -> None:
        body = json.dumps({"errors": [{"code": code, "message": message}]}).encode()
        self._send(status, body)

    def _send(self, status: int, body: bytes, media: str = "application/json") -> None:
        self._head(status, len(body), media, digest_of(body))
        if self.command == "GET":
            self.wfile.write(body)

    def _head(self, status: int, size: int, media: str, digest: str = "", piece: str = "") -> None:
        self.send_response(status)
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="registry"')
        if piece:
            self.send_header("Content-Range", piece)
        if digest:
            self.send_header("Docker-Content-Digest", digest)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(size))
        self.end_headers()
