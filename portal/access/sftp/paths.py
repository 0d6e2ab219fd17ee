"""Paths as an SFTP client names them: a volume's folder name, and a path inside the volume; pure."""

import posixpath
from dataclasses import dataclass

from portal.common.errors import ConflictError, NotFoundError


@dataclass(frozen=True, slots=True)
class ClientPath:
    """A place: the root, the top of a volume, or something in a volume."""

    volume: str = ""
    """The folder name of a volume; empty for the root."""
    path: str = ""
    """Inside the volume; empty for its top."""


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
    return ClientPath(volume, path)


def parse_changed_path(given: bytes) -> ClientPath:
    """Return a place in a volume; the folders of volumes themselves are refused."""
    place = parse_client_path(given)
    if not place.path:
        raise ConflictError("sftp_only_in_volumes")
    return place
