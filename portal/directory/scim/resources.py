"""What the SCIM server serves, and how far it follows clients that depart from the specification."""

from typing import Annotated, Any, Final

from pydantic import Field
from scim2_models import (
    CaseExact,
    ComplexAttribute,
    Context,
    Email,
    Group,
    Mutability,
    Reference,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    User,
)

from portal.directory.scim.addresses import DOCUMENTATION

PAGE_MAX: Final = 200
"""Resources in one answer."""
OPERATIONS_MAX: Final = 1000
"""Operations of one PATCH."""

POLICY: Final = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
"""Entra sends attributes of schemas that were never announced, names in values whom it removes, and writes into mail
addresses that are not there yet."""


class ScimEmail(Email):
    """A mail address; the library refuses those of domains such as corp.local, which companies have."""

    value: str | None = None
    """As the directory writes it."""


class ScimPerson(User[Any]):
    """A person, with what RFC 7643 knows of one."""

    emails: list[ScimEmail] | None = None


class ScimMember(ComplexAttribute):
    """Somebody in a group: a person of the directory, by the id that they have here."""

    value: Annotated[str | None, Mutability.immutable, CaseExact.true] = None
    ref: Annotated[Reference[User[Any]] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=["User"])


class ScimGroup(Group):
    """A group with its people."""

    members: list[ScimMember] | None = None


CONFIG: Final = ServiceProviderConfig.model_validate(
    {
        "documentationUri": DOCUMENTATION,
        "patch": {"supported": True},
        "bulk": {"supported": False, "maxOperations": 0, "maxPayloadSize": 0},
        "filter": {"supported": True, "maxResults": PAGE_MAX},
        "changePassword": {"supported": False},
        "sort": {"supported": False},
        "etag": {"supported": False},
        "authenticationSchemes": [
            {
                "type": "oauthbearertoken",
                "name": "Bearer token",
                "description": "The token that an administrator has made for the directory.",
                "primary": True,
            }
        ],
    }
)
PROVIDER: Final = ScimProvider(models=[ScimPerson, ScimGroup], config=CONFIG, policy=POLICY)


def parse_patch(shape: Any, body: dict[str, Any]) -> Any:
    """Return the operations of a PATCH, without ids in values, which Okta repeats."""
    operations = body.get("Operations", body.get("operations"))
    if isinstance(operations, list):
        body = {**body, "Operations": [_without_id(each) for each in operations[:OPERATIONS_MAX]]}
        body.pop("operations", None)
    return shape.model_validate(body, scim_ctx=Context.RESOURCE_PATCH_REQUEST)


def _without_id(operation: Any) -> Any:
    if not isinstance(operation, dict) or operation.get("path"):
        return operation
    value = operation.get("value")
    if not isinstance(value, dict):
        return operation
    kept = {name: each for name, each in value.items() if name not in ("id", "schemas", "meta")}
    return {**operation, "value": kept}
