"""Deleting secrets, checked against the work that names them."""

from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.secrets import services as secrets
from portal.secrets.selectors import secret_for_owner
from portal.workloads.selectors import unfinished_with_secret_for_system


@transaction.atomic
def delete_secret(*, actor: Actor, secret_id: UUID, is_forced: bool) -> None:
    """Delete a secret. Work that runs keeps what it got; work that names it cannot start again.

    Raises:
        ConflictError: such work exists, and the caller does not insist.
    """
    secret = secret_for_owner(actor, secret_id)
    if not is_forced:
        rows = unfinished_with_secret_for_system(
            secret.name, user_id=secret.user_id, group_id=secret.group_id
        )
        if (first := rows.order_by("id").first()) is not None:
            raise ConflictError("secret_in_use", name=first.name, count=rows.count())
    secrets.remove_secret(actor=actor, secret_id=secret_id)
