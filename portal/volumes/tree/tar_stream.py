"""A tar archive read piece by piece as it arrives, whatever it says; pure.

Headers are read by `tarfile`; what long names need (pax, GNU) is added here, because `tarfile` reads
from a file and would hold a thread for as long as the sender takes. Nothing is believed but sizes, and
those only move the reader on.
"""

import tarfile
import zlib
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from portal.common.errors import InvalidError

BLOCK: Final = 512
"""Unit of an archive (POSIX `pax`)."""
EXTENSION_MAX: Final = 64 * 1024
"""Bytes of what precedes a header: a long name, or attributes of a file."""
_EXTENSIONS: Final = frozenset(
    {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
    | {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)
_OWN_EXTENSIONS: Final = frozenset({tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE})
_WITHOUT_DATA: Final = frozenset(
    {tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE}
    | {tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE}
)
_END: Final = bytes(BLOCK)
_EXECUTABLE: Final = 0o100


class MemberKind(StrEnum):
    """What a member of an archive is."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"
    """A link, a device or a pipe."""


class TarMember(NamedTuple):
    """A member as its archive names it."""

    name: str
    kind: MemberKind
    size: int
    is_executable: bool


class TarSink(Protocol):
    """Takes the members of an archive: `begin`, the bytes by `write`, `end`."""

    def begin(self, member: TarMember) -> None:
        """Begin a member."""

    def write(self, data: memoryview) -> None:
        """Take some of its bytes."""

    def end(self) -> None:
        """End it: all bytes have come."""


class TarReader:
    """Reads an archive from pieces of any size."""

    def __init__(self, sink: TarSink) -> None:
        """Begin before the first header."""
        self._sink = sink
        self._kept = b""
        self._left = 0
        """Bytes of the member that have not come yet."""
        self._padding = 0
        self._in_member = False
        self._name = ""
        self._size: int | None = None
        self.has_ended = False
        """Whether the mark of its end has come; an archive without it was cut."""

    def feed(self, data: bytes) -> None:
        """Read on; raises `InvalidError` where it is no archive, and what the sink raises."""
        view, at = memoryview(self._kept + data if self._kept else data), 0
        while not self.has_ended:
            if self._in_member:
                at = self._member(view, at)
                if self._in_member:
                    self._kept = b""
                    return
            used = self._header(view, at)
            if not used:
                break
            at += used
        self._kept = b"" if self.has_ended else bytes(view[at:])

    def _member(self, view: memoryview, at: int) -> int:
        """Pass bytes of the member on, and skip what fills its last block."""
        if self._left:
            data = view[at : at + self._left]
            self._left -= len(data)
            at += len(data)
            self._sink.write(data)
        if not self._left:
            skipped = min(self._padding, len(view) - at)
            self._padding -= skipped
            at += skipped
            if not self._padding:
                self._in_member = False
                self._sink.end()
        return at

    def _header(self, view: memoryview, at: int) -> int:
        """Read one header; return how many bytes that took, 0 where they have not all come."""
        if len(view) - at < BLOCK:
            return 0
        block = bytes(view[at : at + BLOCK])
        if block == _END:
            self.has_ended = True
            return BLOCK
        if plain := _plain_member(block):
            self._begin(plain, has_data=True)
            return BLOCK
        try:
            found = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise InvalidError("archive_not_tar") from error
        if found.size < 0 or found.type == tarfile.GNUTYPE_SPARSE:
            raise InvalidError("archive_not_tar")
        if found.type in _EXTENSIONS:
            return self._extension(found, view, at)
        self._begin(_member_of(found), has_data=found.type not in _WITHOUT_DATA)
        return BLOCK

    def _begin(self, member: TarMember, *, has_data: bool) -> None:
        """Begin a member, with the name and size that preceded its header."""
        size = member.size if self._size is None else self._size
        self._left = size if has_data else 0
        self._padding = -self._left % BLOCK
        if self._name or self._left != member.size:
            member = member._replace(name=self._name or member.name, size=self._left)
        self._name, self._size, self._in_member = "", None, True
        self._sink.begin(member)

    def _extension(self, found: tarfile.TarInfo, view: memoryview, at: int) -> int:
        if found.size > EXTENSION_MAX:
            raise InvalidError("archive_not_tar")
        whole = BLOCK + found.size + -found.size % BLOCK
        if len(view) - at < whole:
            return 0
        data = bytes(view[at + BLOCK : at + BLOCK + found.size])
        if found.type == tarfile.GNUTYPE_LONGNAME:
            self._name = data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        elif found.type in _OWN_EXTENSIONS:
            self._attributes(data)
        return whole

    def _attributes(self, data: bytes) -> None:
        """Read the records of a pax header: `<length> <key>=<value>\\n`."""
        while data:
            length, _, rest = data.partition(b" ")
            if not length.isdigit() or len(length) > 6 or not len(length) + 1 < int(length):
                raise InvalidError("archive_not_tar")
            record, data = rest[: int(length) - len(length) - 1], data[int(length) :]
            key, _, value = record.removesuffix(b"\n").partition(b"=")
            if key.startswith(b"GNU.sparse"):
                raise InvalidError("archive_not_tar")
            if key == b"path":
                self._name = value.decode("utf-8", "surrogateescape")
            elif key == b"size":
                if not value.isdigit() or len(value) > 18:
                    raise InvalidError("archive_not_tar")
                self._size = int(value)


def sum_bytes(data: bytes) -> int:
    """Return the sum of at most 256 bytes: the lower half of their Adler-32 is one more."""
    return (zlib.adler32(data) & 0xFFFF) - 1


def _plain_member(block: bytes) -> TarMember | None:
    """Return a file with the most ordinary of headers, which `tarfile` reads five times slower."""
    mode, size, checksum = block[100:107], block[124:135], block[148:154]
    if block[156:157] != tarfile.REGTYPE or block[345] or block[154:156] != b"\0 ":
        return None
    if not (mode + size + checksum).isdigit() or block[107] or block[135]:
        return None
    try:
        expected = int(checksum, 8)
        numbers = int(mode, 8), int(size, 8)
    except ValueError:
        return None
    parts = sum_bytes(block[:148]) + sum_bytes(block[156:384]) + sum_bytes(block[384:])
    if parts + 8 * ord(" ") != expected:
        return None
    name = block[:100].partition(b"\0")[0].decode("utf-8", "surrogateescape")
    return TarMember(name, MemberKind.FILE, numbers[1], bool(numbers[0] & _EXECUTABLE))


def _member_of(found: tarfile.TarInfo) -> TarMember:
    kind = MemberKind.OTHER
    if found.isreg():
        kind = MemberKind.FILE
    elif found.isdir():
        kind = MemberKind.FOLDER
    return TarMember(found.name, kind, found.size, bool(found.mode & _EXECUTABLE))
