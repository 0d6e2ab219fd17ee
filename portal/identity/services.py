"""Accounts and API tokens: issued once, checked on every request, revoked at once.

A token is `berth_<secret>_<checksum>`. The prefix lets scanners find leaked tokens; the checksum
lets mistyped ones be refused without a query. The secret has 256 random bits, so its plain SHA-256
is what the database keeps.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.model_rows import ModelRows
from portal.common.notifications import invalidate_rights, wake_scheduler
from portal.common.translations import LANGUAGES
from portal.identity import ssh_keys
from portal.identity.models import ApiToken, User

TOKENS_PER_USER_MAX = 50
"""Valid API tokens of one user."""
USE_RECORDED_EVERY = timedelta(minutes=1)
"""How exactly the last use of a token is known."""
_TOKENS: Final = ModelRows(ApiToken, "token")
_USERS: Final = ModelRows(User, "person")
_VALID_TOKEN: Final = _TOKENS.fill(
    _USERS.fill("""
SELECT {token}, {person}
FROM identity_apitoken token JOIN identity_user person ON person.id = token.user_id
WHERE token.digest = %s AND token.revoked_at IS NULL AND token.expires_at > %s AND person.is_active
""")
)
_TOKEN_SHAPE = re.compile(r"berth_([A-Za-z0-9_-]{43})_([0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret, which is shown only once."""

    row: ApiToken
    secret: str


def authenticate_token(secret: str) -> ApiToken | None:
    """Return the valid token for a secret, with its user, or None."""
    digest = digest_token(secret)
    if digest is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_VALID_TOKEN, [digest, now()])
        found = cursor.fetchone()
    if found is None:
        return None
    token = _TOKENS.build(found[: _TOKENS.width])
    token.user = _USERS.build(found[_TOKENS.width :])
    _record_use(token)
    return token


@transaction.atomic
def create_person(
    *,
    actor: Actor,
    username: str,
    display_name: str,
    encoded_password: str,
    platform_role: str,
    email: str = "",
) -> User:
    """Create a person who signs in with a password, given as Django's hash of it."""
    person = User.objects.create(
        username=username,
        display_name=display_name,
        password=encoded_password,
        platform_role=platform_role,
        email=email,
    )
    audit.record_event(
        actor=actor,
        action="user.create",
        object_type="user",
        object_id=person.pk,
        params={"username": username, "platform_role": platform_role},
    )
    return person


def update_person(person: User, columns: Sequence[str]) -> None:
    """Save changed columns of a person; the caller has checked that the actor may."""
    person.save(update_fields=list(columns))
    invalidate_rights([person.pk])
    if not {"is_active", "platform_role"}.isdisjoint(columns):
        wake_scheduler()


@transaction.atomic
def end_access(*, actor: Actor, user: User) -> None:
    """End permanently what a person or robot has open: sessions, grants, tokens and SSH keys."""
    User.objects.select_for_update().get(pk=user.pk)  # no token is issued meanwhile
    user.access_ended_at = now()
    user.save(update_fields=["access_ended_at"])
    for token in ApiToken.objects.filter(user=user, revoked_at=None).order_by("pk"):
        revoke_token(actor=actor, token_id=token.pk)
    ssh_keys.remove_keys_of(actor=actor, user=user)


@transaction.atomic
def issue_token(
    *, actor: Actor, user: User, name: str, scopes: Sequence[str], expires_in: timedelta
) -> IssuedToken:
    """Create a token for a user; its scopes may not go beyond those of the caller's own token."""
    beyond = sorted(scope for scope in scopes if not actor.has_scope(Action(scope)))
    if beyond:
        raise InvalidError("scopes_beyond_own", pointer="/scopes", scopes=beyond)
    if not User.objects.select_for_update().get(pk=user.pk).is_active:
        raise ConflictError("account_inactive", name=user.username)
    if _live_tokens(user.pk) >= TOKENS_PER_USER_MAX:
        raise InvalidError("too_many_tokens", limit=TOKENS_PER_USER_MAX)
    secret = generate_token()
    row = ApiToken.objects.create(
        user=user,
        name=name,
        digest=str(digest_token(secret)),
        scopes=sorted(set(scopes)),
        expires_at=now() + expires_in,
        created_by_id=actor.user_id or user.pk,
    )
    audit.record_event(
        actor=actor,
        action="token.create",
        object_type="token",
        object_id=row.pk,
        params={"name": name, "user": user.username, "scopes": row.scopes},
    )
    return IssuedToken(row, secret)


@transaction.atomic
def revoke_token(*, actor: Actor, token_id: UUID) -> None:
    """End a token at once; ending it again changes nothing."""
    token = ApiToken.objects.filter(pk=token_id).select_related("user").first()
    if token is None:
        raise NotFoundError("token")
    if not ApiToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=now()):
        return
    audit.record_event(
        actor=actor,
        action="token.revoke",
        object_type="token",
        object_id=token_id,
        params={"name": token.name, "user": token.user.username},
    )


def generate_token() -> str:
    """Return a new random token."""
    secret = secrets.token_urlsafe(32)
    return f"berth_{secret}_{_checksum(secret)}"


def digest_token(token: str) -> str | None:
    """Return the digest to look a token up by, or None when it cannot be one of ours."""
    found = _TOKEN_SHAPE.fullmatch(token)
    if found is None or _checksum(found[1]) != found[2]:
        return None
    return hashlib.sha256(token.encode()).hexdigest()


def _checksum(secret: str) -> str:
    return f"{zlib.crc32(secret.encode()):08x}"


def _live_tokens(user_id: UUID) -> int:
    return ApiToken.objects.filter(user_id=user_id, revoked_at=None, expires_at__gt=now()).count()


def _record_use(token: ApiToken) -> None:
    """Record the use at most once a minute, so that busy pipelines do not write on every call."""
    moment = now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - USE_RECORDED_EVERY)
    if token.last_used_at is None or token.last_used_at < moment - USE_RECORDED_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=moment)


def languages_for_system(user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return in which language these people read pages; who has read none yet is left out."""
    known = User.objects.filter(pk__in=user_ids).exclude(language="")
    return dict(known.values_list("pk", "language")) if user_ids else {}


def remember_language(user: User, language: str) -> None:
    """Keep the language in which a person reads pages, for mails and notebooks."""
    if user.language != language and language in LANGUAGES:
        user.language = language
        User.objects.filter(pk=user.pk).update(language=language)
