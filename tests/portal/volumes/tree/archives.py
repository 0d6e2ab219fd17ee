"""Archives to unpack, good and bad."""

import io
import tarfile
from collections.abc import Iterable


def tar_of(files: dict[str, bytes], *, kind: int = tarfile.PAX_FORMAT) -> bytes:
    """Return an archive of plain files."""
    return packed(((member(name, data), data) for name, data in files.items()), kind=kind)


def packed(
    members: Iterable[tuple[tarfile.TarInfo, bytes]], *, kind: int = tarfile.PAX_FORMAT
) -> bytes:
    """Return an archive of these members."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=kind) as archive:
        for found, data in members:
            archive.addfile(found, io.BytesIO(data))
    return held.getvalue()


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    """Return a member of an archive."""
    found = tarfile.TarInfo(name)
    found.type, found.size = kind, len(data)
    return found
