"""Images made by hand: as an engine imports them and as a registry serves them."""

import gzip
import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from typing import Any

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


def digest_of(content: bytes) -> str:
    """Return the name that registries know some bytes by."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass(frozen=True)
class Packed:
    """One image with one layer."""

    manifest: bytes
    config: bytes
    layer: bytes

    @property
    def digest(self) -> str:
        """Return what the image is pinned by."""
        return digest_of(self.manifest)

    @property
    def blobs(self) -> dict[str, bytes]:
        """Return its parts by digest."""
        return {digest_of(part): part for part in (self.config, self.layer)}


def one_file_root(content: bytes) -> bytes:
    """Pack one file, as a tar file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        facts = tarfile.TarInfo("content")
        facts.size = len(content)
        archive.addfile(facts, io.BytesIO(content))
    return buffer.getvalue()


def with_file(root: bytes, name: str, content: bytes) -> bytes:
    """Add an executable file to a root."""
    buffer = io.BytesIO(root)
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        facts = tarfile.TarInfo(name)
        facts.mode, facts.size = 0o755, len(content)
        archive.addfile(facts, io.BytesIO(content))
    return buffer.getvalue()


def with_open_folder(root: bytes, name: str) -> bytes:
    """Add a folder to a root in which every user may write."""
    buffer = io.BytesIO(root)
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        facts = tarfile.TarInfo(name)
        facts.type, facts.mode = tarfile.DIRTYPE, 0o777
        archive.addfile(facts)
    return buffer.getvalue()


def packed(root: bytes, *, machine: str = "amd64", level: int = 1) -> Packed:
    """Return the image of a root, as a registry keeps it."""
    layer = gzip.compress(root, level, mtime=0)
    config = _json(
        {
            "architecture": machine,
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [digest_of(root)]},
        }
    )
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": _described(CONFIG, config),
        "layers": [_described(LAYER, layer)],
    }
    return Packed(_json(manifest), config, layer)


def _described(media: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": media, "size": len(content), "digest": digest_of(content)}


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode()
