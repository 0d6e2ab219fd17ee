"""SSH logins: the user of a key, and which of the user's containers the login names."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.access.services import AccessTarget, resolve_target
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.identity import ssh_keys
from portal.tenancy.actors import load_actor
from portal.workloads.models import Workload
from scheduler.core.model.states import TERMINAL

RANK_SEPARATOR: Final = "+"
"""`train+1` is rank 1 of `train`; names of workloads cannot contain it."""


FILES_LOGIN: Final = "files"
"""Leads to the volumes of the person instead of into work; work of this name is reached by its id."""


@dataclass(frozen=True, slots=True)
class SshLogin:
    """A key whose possession was proven, and the user name that came with it."""

    fingerprint: str
    name: str
    """Id or name of a workload, with a rank or without; or `FILES_LOGIN`."""
    address: str


def is_known_key(fingerprint: str) -> bool:
    """Return whether the key belongs to an active user. Blocks."""
    return ssh_keys.authenticate_key(fingerprint) is not None


def identify_login(login: SshLogin) -> Actor:
    """Return the actor of the key with its present rights; raises `DeniedError` if the key is gone."""
    user = ssh_keys.authenticate_key(login.fingerprint)
    if user is None:
        raise DeniedError("ssh_key_gone")
    return load_actor(user, address=login.address)


def authorize_login(login: SshLogin) -> tuple[Actor, AccessTarget]:
    """Return the actor of the key and the container that the login names. Blocks.

    Raises:
        DeniedError: the key has been deleted.
        NotFoundError: the user has no such workload; others of the same group do not count.
        ConflictError: it does not run now, or never again.
    """
    actor = identify_login(login)
    name, _, rank = login.name.partition(RANK_SEPARATOR)
    workload = _own_workload(actor, name)
    if workload is None or not (rank.isdecimal() or not rank) or len(rank) > 3:
        raise NotFoundError("workload")
    try:
        return actor, resolve_target(actor, workload.pk, None, int(rank or 0))
    except ConflictError as error:
        if workload.state in TERMINAL:
            raise ConflictError("ssh_ended", name=workload.name) from error
        raise ConflictError("ssh_not_running", name=workload.name) from error


def _own_workload(actor: Actor, name: str) -> Workload | None:
    """Return a workload of this user by id or name; of one name the newest that has not ended, if any."""
    own = Workload.objects.filter(owner=actor.user_id)
    try:
        return own.filter(pk=UUID(name)).first()
    except ValueError:
        named = own.filter(name=name).order_by("-id")
        ended = [state.value for state in TERMINAL]
        return named.exclude(state__in=ended).first() or named.first()
