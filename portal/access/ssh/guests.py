"""Who comes with which key, and which of their own containers they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.access.services import Target, target_for
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.identity import ssh_keys
from portal.tenancy.selectors import actor_for
from portal.workloads.models import Workload
from scheduler.core.model.states import TERMINAL

RANK_SIGN: Final = "+"
"""`train+1` is rank 1 of `train`; names of workloads cannot contain it."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A key that was proven, and the name that came with it."""

    fingerprint: str
    login: str
    """Id or name of a workload, with a rank or without."""
    address: str


def is_known(fingerprint: str) -> bool:
    """Tell whether the key belongs to anybody who may sign in. Blocks."""
    return ssh_keys.user_of_key(fingerprint) is not None


def admit(guest: Guest) -> tuple[Actor, Target]:
    """Return who this is now and which container is meant; raises `DomainError`. Blocks.

    Another's workload is answered like one that does not exist, also inside the same group.
    """
    user = ssh_keys.user_of_key(guest.fingerprint)
    if user is None:
        raise DeniedError("ssh_key_gone")
    actor = actor_for(user, address=guest.address)
    name, _, rank = guest.login.partition(RANK_SIGN)
    workload = _own(user.pk, name)
    if workload is None or not (rank.isdecimal() or not rank) or len(rank) > 3:
        raise NotFoundError("workload")
    return actor, target_for(actor, workload.pk, None, int(rank or 0))


def _own(user_id: UUID, name: str) -> Workload | None:
    """Return a workload of this user by id or name; of several with one name the newest."""
    own = Workload.objects.filter(owner=user_id)
    try:
        return own.filter(pk=UUID(name)).first()
    except ValueError:
        ended = [state.value for state in TERMINAL]
        return own.filter(name=name).exclude(state__in=ended).order_by("-id").first()


Admit = Callable[[Guest], tuple[Actor, Target]]
