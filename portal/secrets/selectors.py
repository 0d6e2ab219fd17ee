"""Reads of secrets: what exists, by name; values only for work that starts."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.secrets.models import Secret
from portal.secrets.uses import SecretScope, SecretUse
from portal.tenancy import policies


def secrets_visible_to(actor: Actor) -> "QuerySet[Secret]":
    """Return the actor's own secrets, and those of the groups whose work may use them."""
    rows = Secret.objects.select_related("group")
    if Action.SECRETS_VIEW in policies.BY_PLATFORM_ROLE[actor.platform_role]:
        return rows.filter(Q(user=actor.user_id) | Q(group__isnull=False))
    groups = [key for key in actor.roles if policies.has_role_for(actor, Action.SECRETS_VIEW, key)]
    return rows.filter(Q(user=actor.user_id) | Q(group__in=groups))


def secret_for_owner(actor: Actor, secret_id: UUID) -> Secret:
    """Return one secret that the actor may change.

    Raises:
        NotFoundError: the actor may not see that it exists.
        DeniedError: the actor may use it in work, not change it.
    """
    secret = secrets_visible_to(actor).filter(pk=secret_id).first()
    if secret is None:
        raise NotFoundError("secret")
    if secret.group_id is not None:
        policies.require(actor, Action.SECRETS_MANAGE, secret.group_id, what="secret")
    return secret


def find_unknown_for_system(
    uses: Iterable[SecretUse], *, user_id: UUID, group_id: UUID
) -> SecretUse | None:
    """Return the first of these uses whose secret does not exist; None if all do."""
    wanted = list(uses)
    rows = load_named_for_system(wanted, user_id=user_id, group_id=group_id) if wanted else {}
    return next((use for use in wanted if (use.scope, use.name) not in rows), None)


def load_named_for_system(
    uses: Iterable[SecretUse], *, user_id: UUID, group_id: UUID
) -> dict[tuple[SecretScope, str], Secret]:
    """Return the secrets that work of this user in this group means by these names."""
    wanted = list(uses)
    own = [use.name for use in wanted if use.scope is SecretScope.USER]
    shared = [use.name for use in wanted if use.scope is SecretScope.GROUP]
    rows = Secret.objects.filter(Q(user=user_id, name__in=own) | Q(group=group_id, name__in=shared))
    return {
        (SecretScope.GROUP if row.user_id is None else SecretScope.USER, row.name): row
        for row in rows
    }
