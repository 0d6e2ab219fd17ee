"""Sign-in by the OpenID Connect providers of directories: django-allauth has the protocol, here is who somebody is.

Nothing of a provider is kept in tables of the library: its applications are directories, its accounts external accounts.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.http import urlencode
from typing_extensions import override

from portal.audit import services as audit
from portal.common import encryption
from portal.common.errors import DomainError, InvalidError
from portal.directory.accounts import ReportedPerson, person_who_signs_in
from portal.directory.application import actor_of
from portal.directory.models import Directory
from portal.directory.selectors import sign_in_ways_for_system
from portal.identity import account_actor
from portal.identity.models import User

PROVIDER: Final = "openid_connect"
CLAIMED_GROUPS_MAX: Final = 1000
"""Groups of one person that a provider may claim."""
_TEXT_MAX: Final = 255
_PAGE: Final = "/sign-in"


class DirectoryAdapter(DefaultSocialAccountAdapter):
    """Directories in the place of the library's applications, external accounts in that of its accounts."""

    @override
    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return the directories by which people sign in."""
        rows = [row for row in sign_in_ways_for_system() if provider in (None, PROVIDER, row.name)]
        return [_app(row) for row in rows if client_id in (None, row.client_id)]

    @override
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Refuse: who comes in is decided in `pre_social_login`."""
        return False

    @override
    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the account of who comes from a provider, or send them back to the page of sign-in."""
        name = str(sociallogin.account.provider)
        directory = next((row for row in sign_in_ways_for_system() if row.name == name), None)
        if directory is None:
            raise _sent_back("provider_unknown")
        claims = claims_of(sociallogin.account.extra_data)
        try:
            user = _user_of(request, directory, claims)
        except DomainError as error:
            _record_refusal(request, directory, claims, error.code)
            raise _sent_back(error.code) from error
        if not user.is_active:
            _record_refusal(request, directory, claims, "account_inactive")
            raise _sent_back("account_inactive")
        sociallogin.user = user
        sociallogin.account.user = user

    @override
    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: str | None = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Send somebody whom the provider refused, or who gave up, back to the page of sign-in."""
        audit.record_failure(
            actor=account_actor.actor_of(request, None),
            action="session.open",
            object_type="user",
            params={"directory": str(getattr(provider, "sub_id", "")), "username": ""},
        )
        raise _sent_back("sign_in_cancelled" if error == "cancelled" else "provider_failed")


def claims_of(reported: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a provider says of a person: its answer about the user over the token of identity."""
    return {**(reported.get("id_token") or {}), **(reported.get("userinfo") or {})} or reported


def reported_person(directory: Directory, claims: Mapping[str, Any]) -> ReportedPerson | None:
    """Return the person of these claims; None where the claim that says who it is is missing."""
    subject = _text(claims.get(directory.subject_claim))
    if not subject:
        return None
    parts = (_text(claims.get("given_name")), _text(claims.get("family_name")))
    email = _text(claims.get("email")).lower()
    return ReportedPerson(
        user_name=_text(claims.get("preferred_username")) or email or subject,
        external_id=subject,
        display_name=_text(claims.get("name")) or " ".join(part for part in parts if part),
        email=email if "@" in email and len(email) < _TEXT_MAX else "",
    )


def claimed_groups(directory: Directory, claims: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the groups that a provider claims for a person, by name or id."""
    given = claims.get(directory.groups_claim)
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Collection):
        return ()
    named = [_text(each) for each in list(given)[:CLAIMED_GROUPS_MAX]]
    return tuple(sorted({name for name in named if name}))


def _user_of(request: HttpRequest, directory: Directory, claims: Mapping[str, Any]) -> User:
    reported = reported_person(directory, claims)
    if reported is None:
        raise InvalidError("subject_missing")
    actor = actor_of(directory, address=str(request.META["REMOTE_ADDR"]))
    groups = claimed_groups(directory, claims)
    return person_who_signs_in(directory.pk, reported, groups, actor=actor).user


def _app(row: Directory) -> SocialApp:
    secret = encryption.decrypt(row.encrypted_client_secret) if row.encrypted_client_secret else ""
    return SocialApp(
        provider=PROVIDER,
        provider_id=row.name,
        name=row.title,
        client_id=row.client_id,
        secret=secret,
        settings={"server_url": row.issuer, "oauth_pkce_enabled": True},
    )


def _record_refusal(
    request: HttpRequest, directory: Directory, claims: Mapping[str, Any], code: str
) -> None:
    audit.record_failure(
        actor=account_actor.actor_of(request, None),
        action="session.open",
        object_type="user",
        params={
            "directory": directory.name,
            "username": _text(claims.get("preferred_username")),
            "code": code,
        },
    )


def _sent_back(code: str) -> ImmediateHttpResponse:
    return ImmediateHttpResponse(HttpResponseRedirect(f"{_PAGE}?{urlencode({'refused': code})}"))


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        value = value[0] if value else ""
    return value.strip()[:_TEXT_MAX].replace("\x00", "") if isinstance(value, str) else ""
