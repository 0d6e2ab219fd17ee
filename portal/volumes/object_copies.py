"""Objects of a bucket copied to a folder: the same turns as a copy of a folder, over S3.

An object is read in ranges of the version that was listed (`If-Match`), so that no file has parts of two.
Where its ETag is the MD5 of its bytes, a whole file is compared with it.
"""

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final

import boto3
import structlog
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from portal.common.errors import DomainError, InvalidError
from portal.common.site_config import ObjectStore
from portal.volumes.tree.changes import ensure_top
from portal.volumes.tree.copied_files import (
    COPIED_FILES_MAX,
    CopiedAmount,
    CopiedFile,
    CopyFolders,
    CopyStoppedError,
    Report,
    SourceChangedError,
    SourceFacts,
)
from portal.volumes.tree.durability import sync_all, syncs_at_once
from portal.volumes.tree.folders import opened_folder
from portal.volumes.tree.listing import TreeSize, TreeWalk
from portal.volumes.tree.paths import Parts, parse_new_path, refused_clearly, to_text
from portal.volumes.tree.uploads import require_space

CONNECT_S: Final = 10
"""Seconds to reach an object store."""
READ_S: Final = 60
"""Seconds between bytes of an object store."""
ATTEMPTS: Final = 4
"""How often a request to an object store is made before it has failed."""
_PROBED: Final = 1000
"""Objects that a store lists at once."""
_PIECE: Final = 64 * 1024 * 1024
_READ: Final = 1024 * 1024
_MD5: Final = re.compile(r'"?([0-9a-f]{32})"?')
_NS: Final = 1_000_000_000
_CHANGED: Final = frozenset({"412", "PreconditionFailed", "404", "NoSuchKey"})
_DENIED: Final = frozenset(
    {"401", "403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"}
)

logger = structlog.get_logger(__name__)


class StoreError(DomainError):
    """The object store does not do what it is asked."""

    status: ClassVar[int] = 502


@dataclass(frozen=True, slots=True)
class _StoredObject:
    key: str
    parts: Parts
    facts: SourceFacts
    etag: str


class ObjectCopier:
    """Copies the objects below a prefix of a store; keys with slashes become folders (a `Copier`)."""

    def __init__(self, store: ObjectStore, path: str, target: Path) -> None:
        """Connect to nothing yet. `path` is below the prefix of the store, "" being all of it."""
        self._store, self._target = store, target
        self._prefix = store.prefix + (f"{path}/" if path else "")
        self._client: Any = boto3.client(
            "s3",
            endpoint_url=store.endpoint,
            region_name=store.region,
            aws_access_key_id=store.access_key,
            aws_secret_access_key=store.secret_key,
            config=Config(
                connect_timeout=CONNECT_S,
                read_timeout=READ_S,
                retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
                s3={"addressing_style": "path"},
                response_checksum_validation="when_required",
            ),
        )
        self._client.meta.events.register_last("before-parameter-build.s3", _stay)

    def measure(self) -> TreeSize:
        """Return how much there is to copy.

        Raises:
            InvalidError: there is nothing, too much, or a key that is no path of a file.
            StoreError: the store does not answer, or refuses.
            StorageFullError: it would leave others on the file system too little space.
        """
        size = files = 0
        for each in self._objects():
            size, files = size + each.facts.size, files + 1
            if files > COPIED_FILES_MAX:
                raise InvalidError("copy_too_many_files", max=COPIED_FILES_MAX)
        if not files:
            raise InvalidError("copy_of_nothing")
        ensure_top(self._target.parent)
        with refused_clearly(""), opened_folder(self._target.parent) as above:
            require_space(above, size)
        return TreeSize(size, files, is_whole=True)

    def probe(self) -> TreeSize:
        """Return what the first page of the list has, after one byte of one object was read.

        Raises:
            InvalidError: there is nothing, or a key that is no path of a file.
            StoreError: the store does not answer, or refuses to list or to read.
        """
        found = list(islice(self._objects(), _PROBED))
        if not found:
            raise InvalidError("copy_of_nothing")
        size = sum(each.facts.size for each in found)
        if read := next((each for each in found if each.facts.size), None):
            with self._explained(read.key):
                asked = {"Bucket": self._store.bucket, "Key": read.key, "Range": "bytes=0-0"}
                self._client.get_object(**asked)["Body"].read()
        return TreeSize(size, len(found), is_whole=len(found) < _PROBED)

    def copy(self, report: Report, *, within_s: float) -> CopiedAmount | None:
        """Copy until all is there, and return how much; None if time was over before."""
        until, done = time.monotonic() + within_s, CopiedAmount()
        ensure_top(self._target)
        with refused_clearly(""), opened_folder(self._target) as root:
            is_synced = not syncs_at_once(root)
            with CopyFolders(self._target) as folders:
                for each in self._objects():
                    file = _place(folders, each)
                    if file.is_there():
                        file.size, is_whole = each.facts.size, True
                    else:
                        with self._explained(each.key):
                            is_whole = file.run(
                                self._reader(each), until, is_synced=is_synced, check=_checker(each)
                            )
                    done.size, done.files = done.size + file.size, done.files + is_whole
                    if not report(done):
                        raise CopyStoppedError
                    if time.monotonic() >= until and file.has_written:
                        return None
            if not is_synced:
                sync_all(root)
        return done

    def require_same(self) -> None:
        """Compare times, sizes and number of all files; raises `SourceChangedError` if one differs."""
        seen = 0
        with CopyFolders(self._target) as folders:
            for each in self._objects():
                seen += 1
                file = _place(folders, each)
                if not file.is_there():
                    raise SourceChangedError("copy_source_changed", path=each.key)
        with refused_clearly(""), opened_folder(self._target) as root:
            walk = TreeWalk(os.dup(root), is_top=False)
            for number, (_, path, _) in enumerate(walk.entries(), start=1):
                if number > seen:
                    raise SourceChangedError("copy_source_changed", path="/".join(path))

    def _objects(self) -> Iterator[_StoredObject]:
        """Yield the objects in order of their keys; what only names a folder is left out."""
        with self._explained():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._store.bucket, Prefix=self._prefix
            )
            for page in pages:
                for found in page.get("Contents", ()):
                    key = str(found["Key"])
                    below = key.removeprefix(self._prefix)
                    if not below or below.endswith("/"):
                        continue
                    at = round(found["LastModified"].timestamp() * 1000) * (_NS // 1000)
                    facts = SourceFacts(int(found["Size"]), at)
                    yield _StoredObject(key, _parts_of(key, below), facts, str(found["ETag"]))

    def _reader(self, each: _StoredObject) -> Callable[[int, int, int], int]:
        def piece(written: int, offset: int, size: int) -> int:
            last = offset + min(size, _PIECE) - 1
            answer = self._client.get_object(
                Bucket=self._store.bucket,
                Key=each.key,
                Range=f"bytes={offset}-{last}",
                IfMatch=each.etag,
            )
            at = offset
            try:
                for data in answer["Body"].iter_chunks(_READ):
                    view = memoryview(data)
                    while view:
                        count = os.pwrite(written, view, at)
                        at, view = at + count, view[count:]
            except BotoCoreError:
                if at == offset:
                    raise
                # The connection broke: the next piece begins where this one ended.
            return at - offset

        return piece

    @contextmanager
    def _explained(self, key: str = "") -> Iterator[None]:
        """Turn what the library raises about an object, or the bucket, into words; the log has the cause."""
        try:
            yield
        except (ClientError, BotoCoreError, ResponseParserError) as error:
            logger.warning("store.failed", store=self._store.name, key=key, error=str(error)[:1000])
            raise self._refusal(error, key) from error

    def _refusal(self, error: Exception, key: str) -> DomainError:
        answer = error.response if isinstance(error, ClientError) else {}
        code = str(answer.get("Error", {}).get("Code", ""))
        if code == "NoSuchBucket":
            return StoreError("store_without_bucket", name=self._store.name)
        if key and code in _CHANGED:
            return SourceChangedError("copy_source_changed", path=key)
        if code in _DENIED:
            return StoreError("store_denied", name=self._store.name)
        return StoreError("store_failed", name=self._store.name)


def _stay(context: dict[str, Any], **_: object) -> None:
    """Let the library believe that it has followed a redirection: it asks where the operator said, or fails."""
    context.get("s3_redirect", {})["redirected"] = True


def _place(folders: CopyFolders, each: _StoredObject) -> CopiedFile:
    try:
        return CopiedFile(folders.open(each.parts[:-1]), each.parts[-1], each.facts)
    except NotADirectoryError as error:
        # Another key is the beginning of this one: a file, in which nothing can be.
        raise InvalidError("store_key", key=each.key[:200]) from error


def _parts_of(key: str, below: str) -> Parts:
    try:
        return parse_new_path(to_text(below))
    except InvalidError as error:
        raise InvalidError("store_key", key=key[:200]) from error


def _checker(each: _StoredObject) -> Callable[[int], None] | None:
    """Return what compares a whole file with its MD5, where the ETag is one."""
    found = _MD5.fullmatch(each.etag)
    if found is None:
        return None

    def check(written: int) -> None:
        digest = hashlib.md5(usedforsecurity=False)
        offset = 0
        while data := os.pread(written, _READ, offset):
            digest.update(data)
            offset += len(data)
        if digest.hexdigest() != found[1]:
            os.ftruncate(written, 0)
            raise StoreError("store_damaged", path=each.key)

    return check
