"""Refusals of the node link."""

from typing import ClassVar

from portal.common.errors import DomainError


class NodeJoinRefusedError(DomainError):
    """The join token is not valid for this node."""

    status: ClassVar[int] = 403


class NodeInUseError(DomainError):
    """A node of this name is in service or still holds work; another host cannot replace it."""

    status: ClassVar[int] = 409


class NodeKeyRefusedError(DomainError):
    """The node's key is not, or no longer, valid: it must join again."""

    status: ClassVar[int] = 401
