"""Refusals as an SFTP client reads them; pure."""

from typing import Final

import asyncssh

from portal.common.errors import DeniedError, DomainError, NotFoundError
from portal.volumes.tree.paths import StorageFullError

THERE: Final = "file_exists"
"""The code of a name that is taken."""
_DENIED: Final = "file_not_permitted"


def to_sftp_error(error: DomainError, text: str) -> asyncssh.SFTPError:
    """Return a refusal with its sentence; version 3 of the protocol knows few codes besides failure."""
    if isinstance(error, NotFoundError):
        return asyncssh.SFTPNoSuchFile(text)
    if isinstance(error, DeniedError) or error.code == _DENIED:
        return asyncssh.SFTPPermissionDenied(text)
    if isinstance(error, StorageFullError):
        return asyncssh.SFTPQuotaExceeded(text)
    if error.code == THERE:
        return asyncssh.SFTPFileAlreadyExists(text)
    return asyncssh.SFTPFailure(text)
