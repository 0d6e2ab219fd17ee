"""Images made by hand: as an engine imports them and as a registry serves them."""

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAMS = ("sh", "sleep", "cat", "ls")
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


def programs_root() -> bytes:
    """Pack a few programs of this machine with their libraries, as a tar file."""
    paths = {Path("/bin") / name for name in PROGRAMS}
    for path in tuple(paths):
        listing = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
        paths |= {Path(word) for word in listing.split() if word.startswith("/")}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", dereference=True) as archive:
        for path in sorted(paths):
            archive.add(path.resolve(), arcname=str(path))
    return buffer.getvalue()


def one_file_root(content: bytes) -> bytes:
    """Pack one file, as a tar file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        facts = tarfile.TarInfo("content")
        facts.size = len(content)
        archive.addfile(facts, io.BytesIO(content))
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
