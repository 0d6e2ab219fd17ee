"""People and groups as SCIM resources, and back."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from scim2_models import InvalidValueException

from portal.directory.accounts import ReportedPerson
from portal.directory.external_groups import ReportedGroup
from portal.directory.models import ExternalAccount, ExternalGroup
from portal.directory.scim.addresses import location_of
from portal.directory.scim.resources import ScimGroup, ScimPerson

_NAME_LENGTH: Final = 255
"""Characters of names and ids of a directory."""
_MAIL_LENGTH: Final = 254
_OURS: Final = ("id", "meta", "groups", "password", "active", "userName", "externalId")
"""Kept in columns, or not at all."""
_SAYS_ACTIVE: Final = "berth:active"
"""Beside the attributes: whether the directory says at all if somebody is active."""


def person_resource(account: ExternalAccount) -> ScimPerson:
    """Return a person as the directory reads it: whether it is active as it is here.

    Where the directory took its word on that back, only that somebody is shut out is shown.
    """
    is_active = account.is_wanted and account.user.is_active
    is_shown = account.document.get(_SAYS_ACTIVE, True) or not is_active
    return ScimPerson.model_validate(
        {
            **{name: each for name, each in account.document.items() if name != _SAYS_ACTIVE},
            "id": str(account.pk),
            "externalId": account.external_id or None,
            "userName": account.user_name,
            "active": is_active if is_shown else None,
            "meta": _meta("User", "Users", account),
        }
    )


def reported_person(resource: ScimPerson) -> ReportedPerson:
    """Return what a directory tells of a person."""
    dumped = resource.model_dump()
    document = {name: value for name, value in dumped.items() if name not in _OURS}
    if resource.active is None:
        document[_SAYS_ACTIVE] = False
    name = resource.name
    parts = (name.given_name, name.family_name) if name else ()
    spelled = " ".join(part for part in parts if part)
    formatted = name.formatted if name else None
    return ReportedPerson(
        user_name=_named(resource.user_name, "userName"),
        external_id=_short(resource.external_id or "", "externalId"),
        display_name=resource.display_name or formatted or spelled,
        email=_mail(resource),
        is_wanted=resource.active is not False,
        document=document,
    )


def group_resource(group: ExternalGroup, *, with_members: bool = True) -> ScimGroup:
    """Return a group as the directory reads it."""
    members: list[dict[str, Any]] | None = None
    if with_members:
        keys = group.members.order_by("pk").values_list("pk", flat=True)
        members = [_member(key) for key in keys]
    return ScimGroup.model_validate(
        {
            "id": str(group.pk),
            "externalId": group.external_id or None,
            "displayName": group.display_name,
            "members": members,
            "meta": _meta("Group", "Groups", group),
        }
    )


def reported_group(resource: ScimGroup) -> ReportedGroup:
    """Return what a directory tells of a group."""
    return ReportedGroup(
        display_name=_named(resource.display_name, "displayName"),
        external_id=_short(resource.external_id or "", "externalId"),
        members=frozenset(_ids(member.value for member in resource.members or ())),
    )


def _member(key: UUID) -> dict[str, Any]:
    return {"value": str(key), "$ref": location_of("Users", key), "type": "User"}


def _meta(kind: str, collection: str, row: ExternalAccount | ExternalGroup) -> dict[str, str]:
    return {
        "resourceType": kind,
        "created": row.created_at.isoformat(),
        "lastModified": row.changed_at.isoformat(),
        "location": location_of(collection, row.pk),
    }


def _ids(values: Iterable[str | None]) -> Iterable[UUID]:
    for value in values:
        try:
            yield UUID(value or "")
        except ValueError:
            raise InvalidValueException(detail=f"'{value}' is no member of this service") from None


def _mail(resource: ScimPerson) -> str:
    """Return the address to which mails go: the primary one, else the first, else that of a name that is one."""
    found = sorted(resource.emails or (), key=lambda each: not each.primary)
    for address in (*(each.value or "" for each in found), resource.user_name or ""):
        name, at, domain = address.strip().rpartition("@")
        if at and name and domain and len(address) <= _MAIL_LENGTH:
            return address.strip().lower()
    return ""


def _named(value: str | None, attribute: str) -> str:
    name = _short((value or "").strip(), attribute)
    if not name:
        raise InvalidValueException(detail=f"'{attribute}' must not be empty")
    return name


def _short(value: str, attribute: str) -> str:
    if len(value) > _NAME_LENGTH:
        raise InvalidValueException(detail=f"'{attribute}' has more than {_NAME_LENGTH} characters")
    return value
