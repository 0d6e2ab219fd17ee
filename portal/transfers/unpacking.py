"""Many files in one request: a tar archive, unpacked into a folder while it comes.

What is whole when a connection breaks is kept, so a sender that repeats the archive has nothing to lose.
"""

import json
from contextlib import aclosing
from functools import partial
from typing import Any, ClassVar, Final

from django.http import QueryDict
from rest_framework import serializers

from portal.common.actor import Actor
from portal.common.asgi.types import Header
from portal.common.concurrency import first_completed, read_ahead
from portal.common.errors import DomainError
from portal.transfers.downloads import FilePathQuery
from portal.transfers.transfer import ClientLeftError, Transfer
from portal.volumes.file_access import require_capacity
from portal.volumes.tree.batches import BatchWriter
from portal.volumes.tree.paths import parse_new_path
from portal.volumes.tree.tar_stream import TarReader

_JSON: Final[Header] = (b"content-type", b"application/json")


class ArchiveCutError(DomainError):
    """The archive has no end: its sender stopped in the middle, and did not say so."""

    status: ClassVar[int] = 422


class UnpackQuery(FilePathQuery):
    """The folder into which an archive is unpacked, and whether its files replace others."""

    replace = serializers.BooleanField(
        default=False, help_text="Whether its files replace those that are there."
    )


class UnpackedShape(serializers.Serializer[Any]):
    """How many files of an archive were written, and how many were there already with the same content."""

    written = serializers.IntegerField()
    unchanged = serializers.IntegerField()


async def serve_unpacking(transfer: Transfer, actor: Actor) -> None:
    """Unpack the body; answer how many files were written, or which were not."""
    query = UnpackQuery.read(QueryDict(transfer.scope["query_string"]))
    target = parse_new_path(query["path"]) if query["path"] else ()
    opened = await transfer.open(actor, writes=True)
    require_capacity(opened.volume)
    ledger = transfer.context.ledger
    writer = await transfer.run(
        BatchWriter,
        opened.top,
        target,
        replaces=query["replace"],
        grow=partial(ledger.take, opened),
        give_back=partial(ledger.give_back, opened),
    )
    try:
        await first_completed(_unpack(transfer, writer), transfer.until_revoked())
    finally:
        await transfer.run(writer.close)
    count = writer.count
    count.require_all_written()
    answer = {"written": count.written, "unchanged": count.unchanged}
    await transfer.begin(200, [_JSON])
    await transfer.send(json.dumps(answer).encode(), is_last=True)


async def _unpack(transfer: Transfer, writer: BatchWriter) -> None:
    reader = TarReader(writer)
    try:
        async with aclosing(read_ahead(transfer.pieces())) as pieces:
            async for piece in pieces:
                await transfer.run(reader.feed, piece)
    except (ClientLeftError, TimeoutError, DomainError):
        await transfer.run(writer.settle)
        raise
    await transfer.run(writer.settle)
    if not reader.has_ended:
        count = writer.count
        raise ArchiveCutError("archive_cut", written=count.written, unchanged=count.unchanged)
