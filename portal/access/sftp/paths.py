"""Paths as an SFTP client names them: a volume's folder name, or `datasets` and the name of a data set, and
a path inside; pure."""

import posixpath
from dataclasses import dataclass
from typing import Final

from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.volumes.tree.paths import to_text

DATASETS: Final = "datasets"
"""The folder of data sets; no volume is called so, for their names have a dot or are `home`."""


@dataclass(frozen=True, slots=True)
class ClientPath:
    """A place: the root, the folder of data sets, the top of a volume or data set, or something in one."""

    volume: str = ""
    """The folder name of a volume, `datasets`, or that and a name; empty for the root."""
    path: str = ""
    """Inside the volume or data set; empty for its top."""

    @property
    def dataset(self) -> str | None:
        """The name of its data set, or `<name>@<version>`; empty for the folder of all of them, None elsewhere."""
        first, _, name = self.volume.partition("/")
        return name if first == DATASETS else None


def normalize(given: bytes) -> bytes:
    """Return the absolute path; `..` is taken by its letters, as no link is ever followed."""
    return posixpath.normpath(b"/" + given.lstrip(b"/"))


def parse_client_path(given: bytes) -> ClientPath:
    """Return the place that a client names; raises `NotFoundError` for what is no text."""
    if b"\0" in given:
        raise NotFoundError("file")
    try:
        text = normalize(given)[1:].decode()
    except UnicodeDecodeError as error:
        raise NotFoundError("file") from error
    volume, _, path = text.partition("/")
    if volume == DATASETS and path:
        name, _, path = path.partition("/")
        volume = f"{DATASETS}/{name}"
    return ClientPath(volume, to_text(path))


def parse_changed_path(given: bytes) -> ClientPath:
    """Return a place in a volume that is to change; everything of data sets is refused."""
    if parse_client_path(given).dataset is not None:
        raise DeniedError("sftp_dataset_is_read_only")
    return parse_inner_path(given)


def parse_inner_path(given: bytes) -> ClientPath:
    """Return a place in a volume or data set; their own folders are refused."""
    place = parse_client_path(given)
    if not place.path:
        raise ConflictError("sftp_only_in_volumes")
    return place
