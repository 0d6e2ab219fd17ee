"""Downloads: one file, whole or a range of it, and a folder as an archive.

Whatever a file holds, a browser never runs it as a page of the portal: it is sent as an attachment of
no known type, with a policy that gives it an origin of its own.
"""

import os
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final
from urllib.parse import parse_qs, unquote

from django.http import QueryDict
from django.utils.http import content_disposition_header
from rest_framework import serializers

from portal.common.actor import Actor
from portal.common.asgi.types import Header, get_header
from portal.common.concurrency import ThreadedReadAhead, first_completed
from portal.common.errors import DomainError, NotFoundError
from portal.common.rest.etags import PreconditionError, matches
from portal.common.rest.parsing import TooLargeError
from portal.common.rest.serializers import (
    InputSerializer,
    OneOfField,
    QuerySerializer,
    StrictCharField,
)
from portal.jobs.outputs import find_output
from portal.transfers.transfer import Transfer
from portal.volumes.many_files import PATHS_MAX
from portal.volumes.snapshots import SNAPSHOT_NAME_MAX
from portal.volumes.tree.archive import ArchiveKind, stream_archive
from portal.volumes.tree.links import open_content
from portal.volumes.tree.paths import NAME_MAX, PATH_MAX, Parts, from_text, parse_path, to_text
from portal.volumes.tree.times import to_epoch_s

NAMES_BODY_MAX: Final = 512 * 1024
"""Bytes of the names of all entries of a folder that one archive is asked for."""
PIECE: Final = 512 * 1024
"""Bytes that are read and sent in one step."""
AHEAD: Final = 4
"""Pieces that are read before the client takes them; as many are in memory for each download."""
_RANGE: Final = re.compile(r"bytes=(\d*)-(\d*)")
_HARMLESS: Final[tuple[Header, ...]] = (
    (b"content-security-policy", b"sandbox; default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)


_MEDIA_TYPES: Final = {
    ArchiveKind.ZIP: b"application/zip",
    ArchiveKind.TAR: b"application/x-tar",
}


class FileShrankError(Exception):
    """A file became shorter while it was sent; the connection is cut, so that it does not pass for whole."""


class RangeRefusedError(DomainError):
    """The file has no such range."""

    status: ClassVar[int] = 416


class FilePathQuery(QuerySerializer):
    """A file or folder; without one, the top."""

    paging: ClassVar[frozenset[str]] = frozenset()

    path = StrictCharField(
        max_length=PATH_MAX,
        trim_whitespace=False,
        allow_blank=True,
        default="",
        help_text="Names with slashes between them; empty is the top.",
    )


class DownloadQuery(FilePathQuery):
    """The file or folder to download; an archive of the whole volume without one."""

    snapshot = StrictCharField(
        max_length=SNAPSHOT_NAME_MAX,
        trim_whitespace=False,
        allow_blank=True,
        default="",
        help_text="The snapshot in which to look; empty is the present.",
    )


class ArchiveQuery(DownloadQuery):
    """The folder of a volume to download, and as what."""

    format = OneOfField([kind.value for kind in ArchiveKind], default=ArchiveKind.ZIP.value)


class ArchiveNames(InputSerializer):
    """The entries of the folder that are packed, by name."""

    name = serializers.ListField(
        child=StrictCharField(max_length=NAME_MAX, trim_whitespace=False),
        min_length=1,
        max_length=PATHS_MAX,
    )


class OutputsArchiveQuery(FilePathQuery):
    """The folder of outputs to download, all of them without one, and as what."""

    format = OneOfField([kind.value for kind in ArchiveKind], default=ArchiveKind.ZIP.value)


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file for reading, and what it was when it was opened."""

    file: BinaryIO
    size: int
    modified_s: float
    etag: str


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes from `start` up to `stop`, without that."""

    start: int
    stop: int


async def serve_content(transfer: Transfer, actor: Actor) -> None:
    """Send a file of a volume, or the range of it that is asked for."""
    query = DownloadQuery.read(QueryDict(transfer.scope["query_string"]))
    parts = parse_path(query["path"])
    opened = await transfer.open(actor, writes=False, snapshot=query["snapshot"])
    await _send_file(transfer, opened.top, parts, _name_of(query["path"]))


async def serve_archive(transfer: Transfer, actor: Actor) -> None:
    """Send a folder of a volume with all below it as one file."""
    await _serve_archive(transfer, actor)


async def serve_chosen(transfer: Transfer, actor: Actor) -> None:
    """Send those entries of a folder that a form names as one file."""
    await _serve_archive(transfer, actor, _read_names)


async def _serve_archive(
    transfer: Transfer,
    actor: Actor,
    choose: Callable[[Transfer, Parts], Awaitable[frozenset[str]]] | None = None,
) -> None:
    query = ArchiveQuery.read(QueryDict(transfer.scope["query_string"]))
    parts, kind = parse_path(query["path"]), ArchiveKind(query["format"])
    opened = await transfer.open(actor, writes=False, snapshot=query["snapshot"])
    only = await choose(transfer, parts) if choose else None
    pieces = await transfer.run(stream_archive, opened.top, parts, kind, only)
    await _send_archive(transfer, pieces, kind, _name_of(query["path"]) or opened.volume.name)


async def serve_output(transfer: Transfer, actor: Actor) -> None:
    """Send an output of a job, or the range of it that is asked for."""
    path = unquote(transfer.named["path"], errors="surrogateescape")
    opened = await transfer.open_outputs(actor)
    parts = await transfer.run(find_output, opened.top, path)
    await _send_file(transfer, opened.top, parts, _name_of(path))


async def serve_outputs_archive(transfer: Transfer, actor: Actor) -> None:
    """Send the outputs of a job, or a folder of them, as one file."""
    query = OutputsArchiveQuery.read(QueryDict(transfer.scope["query_string"]))
    kind = ArchiveKind(query["format"])
    opened = await transfer.open_outputs(actor)
    parts = await transfer.run(find_output, opened.top, query["path"])
    pieces = await transfer.run(stream_archive, opened.top, parts, kind)
    await _send_archive(transfer, pieces, kind, _name_of(query["path"]) or opened.job)


async def _read_names(transfer: Transfer, folder: Parts) -> frozenset[str]:
    """Return the entries of a folder that the body names, a form as browsers send it."""
    body = bytearray()
    async for piece in transfer.pieces():
        body += piece
        if len(body) > NAMES_BODY_MAX:
            raise TooLargeError("body_too_large", limit=NAMES_BODY_MAX)
    given = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
    names = ArchiveNames.parse_body(given)["name"]
    found = [parse_path("/".join((*map(to_text, folder), name))) for name in names]
    if any(parts[:-1] != folder for parts in found):
        raise NotFoundError("file")
    return frozenset(parts[-1] for parts in found)


async def _send_file(transfer: Transfer, top: Path, parts: Parts, name: str) -> None:
    found = await transfer.run(_open, top, parts)
    try:
        if await _is_answered_by_tag(transfer, found.etag):
            return
        asked = _asked_range(transfer, found)
        sent = asked or ByteRange(0, found.size)
        headers = [
            *_HARMLESS,
            (b"content-type", b"application/octet-stream"),
            (b"content-disposition", _attachment(name)),
            (b"content-length", str(sent.stop - sent.start).encode()),
            (b"accept-ranges", b"bytes"),
            (b"etag", found.etag.encode()),
            (b"last-modified", formatdate(found.modified_s, usegmt=True).encode()),
        ]
        if asked:
            headers.append((b"content-range", _named(asked, found.size)))
        await transfer.begin(206 if asked else 200, headers)
        if transfer.scope["method"] == "HEAD":
            await transfer.send(b"", is_last=True)
        else:
            await _watched(transfer, _send(transfer, _pieces_of(found, sent)))
    finally:
        found.file.close()


async def _is_answered_by_tag(transfer: Transfer, tag: str) -> bool:
    """Answer 304 to a client that has the file already; refuse one that wants only another (RFC 9110, 13.2.2)."""
    wanted = get_header(transfer.scope, b"if-match")
    if wanted and not matches(wanted, tag):
        raise PreconditionError("file_changed")
    if not matches(get_header(transfer.scope, b"if-none-match"), tag):
        return False
    await transfer.answer(304, [(b"etag", tag.encode())])
    return True


async def _send_archive(
    transfer: Transfer, pieces: Iterator[bytes], kind: ArchiveKind, name: str
) -> None:
    headers = [
        *_HARMLESS,
        (b"content-type", _MEDIA_TYPES[kind]),
        (b"content-disposition", _attachment(f"{name}.{kind}")),
    ]
    await transfer.begin(200, headers)
    if transfer.scope["method"] == "HEAD":
        await transfer.send(b"", is_last=True)
    else:
        await _watched(transfer, _send(transfer, _joined(pieces)))


async def _watched(transfer: Transfer, sending: Coroutine[Any, Any, None]) -> None:
    """Send until all is sent, the client has left or may not read this any more."""
    await first_completed(sending, transfer.until_client_left(), transfer.until_revoked())


async def _send(transfer: Transfer, pieces: Iterator[bytes]) -> None:
    async with aclosing(ThreadedReadAhead(transfer.run, pieces, AHEAD).items()) as taken:
        async for data in taken:
            await transfer.send(data)
    await transfer.send(b"", is_last=True)


def _pieces_of(found: OpenedFile, sent: ByteRange) -> Iterator[bytes]:
    position = sent.start
    while position < sent.stop:
        data = os.pread(found.file.fileno(), min(PIECE, sent.stop - position), position)
        if not data:
            raise FileShrankError
        position += len(data)
        yield data


def _joined(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield about a piece's worth of bytes at a time: an archive of small files has thousands."""
    taken: list[bytes] = []
    size = 0
    for data in pieces:
        taken.append(data)
        size += len(data)
        if size >= PIECE:
            yield b"".join(taken)
            taken, size = [], 0
    yield b"".join(taken)


def _open(top: Path, parts: Parts) -> OpenedFile:
    file = open_content(top, parts)
    facts = os.fstat(file.fileno())
    etag = f'"{facts.st_ino:x}-{facts.st_size:x}-{facts.st_mtime_ns:x}"'
    return OpenedFile(file, facts.st_size, to_epoch_s(facts.st_mtime), etag)


def _asked_range(transfer: Transfer, found: OpenedFile) -> ByteRange | None:
    """Return the one range that is asked for; None sends the whole file (RFC 9110, section 14)."""
    given = _RANGE.fullmatch(get_header(transfer.scope, b"range"))
    only_if = get_header(transfer.scope, b"if-range")
    if given is None or not any(given.groups()) or (only_if and only_if != found.etag):
        return None
    first, last = given.groups()
    if not first:
        start, stop = max(found.size - int(last), 0), found.size
    else:
        start, stop = int(first), min(int(last) + 1 if last else found.size, found.size)
    if start >= stop:
        raise RangeRefusedError("range_not_there", size=found.size)
    return ByteRange(start, stop)


def _named(sent: ByteRange, size: int) -> bytes:
    return f"bytes {sent.start}-{sent.stop - 1}/{size}".encode()


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _attachment(name: str) -> bytes:
    shown = os.fsencode(from_text(name)).decode(errors="replace")
    return (content_disposition_header(as_attachment=True, filename=shown) or "").encode()
