"""Resumable uploads by the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload).

Core, and the extensions creation, creation-with-upload, termination, checksum and expiration. What an
upload is and how far it is stands beside its bytes (`portal.volumes.tree.uploads`), so that it
continues after a break of the connection or a restart of this process.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate
from functools import wraps
from typing import Any, Final
from urllib.parse import quote

from portal.common.actor import Actor
from portal.common.asgi.types import Header, get_header
from portal.common.concurrency import first_completed
from portal.common.errors import ConflictError
from portal.common.rest.problems import Problem
from portal.transfers.transfer import ClientLeftError, Serve, Transfer
from portal.volumes.file_access import OpenedVolume
from portal.volumes.growth import GrowthLedger
from portal.volumes.tree.uploads import (
    UNFINISHED_KEPT,
    FileUpload,
    UploadWriter,
    begin_upload,
    end_upload,
    find_upload,
)

TUS_VERSION: Final = "1.0.0"
TUS_HEADERS: Final = (("Tus-Resumable", TUS_VERSION),)
LENGTH_MAX: Final = 16 * 1024**4
"""Bytes of one file."""
MEDIA_TYPE: Final = "application/offset+octet-stream"
_EXTENSIONS: Final = b"creation,creation-with-upload,termination,checksum,expiration"
_HASHES: Final[Mapping[str, Callable[[], Any]]] = {
    "sha1": lambda: hashlib.sha1(usedforsecurity=False),
    "sha256": hashlib.sha256,
}
_RESUMABLE: Final[Header] = (b"tus-resumable", TUS_VERSION.encode())


_OTHER_VERSION: Final = Problem(
    412, "tus_version", {"version": TUS_VERSION}, headers=(("Tus-Version", TUS_VERSION),)
)


class TusRefusedError(Exception):
    """The request breaks the protocol."""

    def __init__(self, problem: Problem) -> None:
        """Keep the refusal."""
        super().__init__(problem.code)
        self.problem = problem


@dataclass(slots=True)
class Checksum:
    """The checksum that a client gives for one request."""

    hash: Any
    expected: bytes

    def is_right(self) -> bool:
        """Return whether what has come is what was sent."""
        return bool(self.hash.digest() == self.expected)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The bytes of one request on their way into an upload, counted as growth of its volume."""

    writer: UploadWriter
    checksum: Checksum | None
    opened: OpenedVolume
    ledger: GrowthLedger

    def append(self, piece: bytes) -> None:
        """Append some bytes."""
        self.ledger.arrive(self.opened, len(piece))
        self.writer.write(piece)
        if self.checksum:
            self.checksum.hash.update(piece)

    def take_back(self) -> None:
        """Remove what has come by this request."""
        self.ledger.give_back(self.opened, self.writer.take_back())

    def finish(self) -> str:
        """Put the whole file under its name; return its path."""
        path = self.writer.finish()
        self.ledger.give_back(self.opened, self.writer.freed)
        return path


def _of_protocol(serve: Serve) -> Serve:
    """Refuse requests of another version of the protocol, or none."""

    @wraps(serve)
    async def serve_version(transfer: Transfer, actor: Actor) -> None:
        if get_header(transfer.scope, b"tus-resumable") != TUS_VERSION:
            raise TusRefusedError(_OTHER_VERSION)
        await serve(transfer, actor)

    return serve_version


async def describe_server(transfer: Transfer, _: Actor | None = None) -> None:
    """Answer what this server can do."""
    await transfer.answer(
        204,
        [
            _RESUMABLE,
            (b"tus-version", TUS_VERSION.encode()),
            (b"tus-extension", _EXTENSIONS),
            (b"tus-max-size", str(LENGTH_MAX).encode()),
            (b"tus-checksum-algorithm", ",".join(_HASHES).encode()),
        ],
    )


@_of_protocol
async def begin(transfer: Transfer, actor: Actor) -> None:
    """Create an upload, with its first bytes where the request has them."""
    opened = await transfer.open(actor, writes=True)
    length = _whole_number(transfer, b"upload-length")
    metadata = _metadata(get_header(transfer.scope, b"upload-metadata"))
    upload = await transfer.run(_begin, transfer.context.ledger, opened, metadata, length)
    offset, path = 0, ""
    has_bytes = get_header(transfer.scope, b"content-type") == MEDIA_TYPE
    if has_bytes or not length:
        # A connection that breaks now leaves an upload that can be continued, but nobody knows its address.
        offset, path = await _receive(transfer, opened, upload, has_bytes=has_bytes)
    location = f"/api/v1/volumes/{opened.volume.pk}/uploads/{upload.id}"
    await transfer.answer(
        201, [(b"location", location.encode()), *_progress(upload, offset), *_place(path)]
    )


@_of_protocol
async def tell_progress(transfer: Transfer, actor: Actor) -> None:
    """Answer how far an upload is."""
    opened, upload = await _find(transfer, actor)
    if upload.offset == upload.length:
        # A process that ended between the last byte and the rename left it so.
        await _receive(transfer, opened, upload, has_bytes=False)
    length = (b"upload-length", str(upload.length).encode())
    await transfer.answer(200, [*_progress(upload, upload.offset), length])


@_of_protocol
async def append(transfer: Transfer, actor: Actor) -> None:
    """Append the body to an upload; the last byte puts the file under its name."""
    opened, upload = await _find(transfer, actor)
    _require_bytes(transfer)
    offset = _whole_number(transfer, b"upload-offset")
    if offset != upload.offset:
        raise ConflictError("upload_offset", offset=upload.offset)
    offset, path = await _receive(transfer, opened, upload)
    await transfer.answer(204, [*_progress(upload, offset), *_place(path)])


@_of_protocol
async def end(transfer: Transfer, actor: Actor) -> None:
    """Remove an upload with its bytes."""
    opened, upload = await _find(transfer, actor)
    await transfer.run(_end, transfer.context.ledger, opened, upload)
    await transfer.answer(204, [_RESUMABLE])


@_of_protocol
async def serve_overridden(transfer: Transfer, actor: Actor) -> None:
    """Do what a header names: some clients can send no method but `POST`."""
    serve = _OVERRIDES.get(get_header(transfer.scope, b"x-http-method-override").upper())
    if serve is None:
        raise TusRefusedError(Problem(405, "method_not_allowed", {}))
    await serve(transfer, actor)


_OVERRIDES: Final[Mapping[str, Serve]] = {"HEAD": tell_progress, "PATCH": append, "DELETE": end}


async def _find(transfer: Transfer, actor: Actor) -> tuple[OpenedVolume, FileUpload]:
    opened = await transfer.open(actor, writes=True)
    return opened, await transfer.run(find_upload, opened.top, transfer.named["upload_id"])


def _begin(
    ledger: GrowthLedger, opened: OpenedVolume, metadata: Mapping[str, str], length: int
) -> FileUpload:
    path = metadata.get("path") or metadata.get("filename", "")
    with ledger.promising(opened, length):
        return begin_upload(opened.top, path, length, replaces=metadata.get("replace") == "true")


def _end(ledger: GrowthLedger, opened: OpenedVolume, upload: FileUpload) -> None:
    end_upload(opened.top, upload.id)
    if not upload.is_placed:
        ledger.give_back(opened, upload.offset)


async def _receive(
    transfer: Transfer, opened: OpenedVolume, upload: FileUpload, *, has_bytes: bool = True
) -> tuple[int, str]:
    """Append the body; return how far the upload is, and its path once it is whole."""
    if upload.is_placed:
        return upload.offset, ""
    checksum = _checksum(transfer)
    writer = await transfer.run(UploadWriter, opened.top, upload)
    arrival = Arrival(writer, checksum, opened, transfer.context.ledger)
    try:
        if has_bytes:
            storing = _store(transfer, arrival, upload.length)
            await first_completed(storing, transfer.until_revoked())
        path = await transfer.run(arrival.finish) if writer.offset == upload.length else ""
    finally:
        writer.close()
    return writer.offset, path


async def _store(transfer: Transfer, arrival: Arrival, length: int) -> None:
    checksum = arrival.checksum
    try:
        async for piece in transfer.pieces():
            if arrival.writer.offset + len(piece) > length:
                raise TusRefusedError(_too_long(length))
            await transfer.run(arrival.append, piece)
    except (ClientLeftError, TimeoutError):
        if checksum:
            await transfer.run(arrival.take_back)
        raise
    if checksum and not checksum.is_right():
        await transfer.run(arrival.take_back)
        raise TusRefusedError(Problem(460, "upload_checksum", {}))


def _require_bytes(transfer: Transfer) -> None:
    if get_header(transfer.scope, b"content-type") != MEDIA_TYPE:
        raise TusRefusedError(Problem(415, "upload_media_type", {"type": MEDIA_TYPE}))


def _whole_number(transfer: Transfer, name: bytes) -> int:
    given = get_header(transfer.scope, name)
    if not (given.isascii() and given.isdigit() and len(given) <= 15):
        raise TusRefusedError(_bad_header(name.decode().title()))
    if (number := int(given)) > LENGTH_MAX:
        raise TusRefusedError(_too_long(LENGTH_MAX))
    return number


def _metadata(header: str) -> dict[str, str]:
    """Return the metadata: pairs of a key and a value in Base64, between commas."""
    found = {}
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, value = pair.partition(" ")
        if key in found:
            raise TusRefusedError(_bad_header("Upload-Metadata"))
        try:
            found[key] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise TusRefusedError(_bad_header("Upload-Metadata")) from error
    return found


def _checksum(transfer: Transfer) -> Checksum | None:
    given = get_header(transfer.scope, b"upload-checksum")
    if not given:
        return None
    name, _, value = given.partition(" ")
    if name in _HASHES:
        with suppress(binascii.Error):
            return Checksum(_HASHES[name](), base64.b64decode(value, validate=True))
    raise TusRefusedError(_bad_header("Upload-Checksum"))


def _progress(upload: FileUpload, offset: int) -> list[Header]:
    headers = [_RESUMABLE, (b"upload-offset", str(offset).encode())]
    if offset < upload.length:
        ends = max(upload.touched_at, 0) + UNFINISHED_KEPT.total_seconds()
        headers.append((b"upload-expires", formatdate(ends, usegmt=True).encode()))
    return headers


def _place(path: str) -> list[Header]:
    """Return the path that the file has got, which may differ from what was asked for."""
    return [(b"upload-path", quote(path).encode())] if path else []


def _too_long(length: int) -> Problem:
    return Problem(413, "upload_too_long", {"length": length})


def _bad_header(name: str) -> Problem:
    return Problem(400, "upload_header", {"header": name})
