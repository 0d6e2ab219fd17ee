"""Endpoints of directories, for platform administrators."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.audit.versions import DIRECTORY, UNCHANGED, read_versions
from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import (
    TITLE_MAX,
    FieldFault,
    InputSerializer,
    NameField,
    NoFilters,
    OneOfField,
    PatternField,
    StrictBooleanField,
    StrictCharField,
    VersionField,
)
from portal.common.rest.throttling import RequestThrottle, TokenThrottle
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.directory import selectors, services
from portal.directory.api.ways import LdapOutput, SignInInput, SyncFault, SyncInput
from portal.directory.mapping import RULES_MAX, Rule
from portal.directory.models import Directory
from portal.directory.plans import ChangeKind, DirectoryPlan
from portal.directory.scim.addresses import ROOT
from portal.identity.models import User
from portal.tenancy.models import Membership

_NAME: Final = r"^[a-z0-9][a-z0-9-]{0,39}$"
SHOWN_MAX: Final = 1000
"""Changes of a plan in one answer; their number is always exact."""


class RuleInput(InputSerializer):
    """Members of a group of the directory have a role in one of our groups, or over the platform."""

    external_group = StrictCharField(
        max_length=255, help_text="Name or id in the directory; `*` is everybody."
    )
    group = StrictCharField(max_length=63, required=False, help_text="Name of one of our groups.")
    role = OneOfField(Membership.Role.values, required=False)
    platform_role = OneOfField([role for role in User.PlatformRole.values if role], required=False)

    @override
    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a role in a group or one over the platform, and not both."""
        if set(attrs) not in _SHAPES:
            raise ValidationError({"role": [FieldFault("one_role_of_a_rule")]})
        return attrs


_SHAPES: Final = (
    {"external_group", "group", "role"},
    {"external_group", "platform_role"},
)


class RulesField(serializers.ListField):
    """The rules of a directory."""

    def __init__(self, **options: Any) -> None:
        """Limit how many there are."""
        super().__init__(child=RuleInput(), max_length=RULES_MAX, **options)

    @override
    def to_internal_value(self, data: Any) -> list[Any]:
        """Return rules."""
        return [Rule(**each) for each in super().to_internal_value(data)]


class DirectoryInput(SignInInput):
    """A new directory; its name can never change."""

    name = PatternField(_NAME, fault="short_name_not_allowed", max_length=40)
    title = NameField(max_length=TITLE_MAX)
    links_existing = StrictBooleanField(default=False)


class DirectoryChange(SignInInput):
    """Changes of a directory; absent fields stay as they are."""

    title = NameField(max_length=TITLE_MAX, required=False)
    links_existing = StrictBooleanField(required=False)
    rules = RulesField(required=False)
    version = VersionField()


class PlanInput(InputSerializer):
    """Rules to try; without them, those in force."""

    rules = RulesField(required=False)


class RuleOutput(serializers.Serializer[Any]):
    """A rule; only what it says is there."""

    external_group = serializers.CharField()
    group = serializers.CharField(required=False)
    role = serializers.ChoiceField(Membership.Role.values, required=False)
    platform_role = serializers.CharField(required=False)


class DirectoryOutput(serializers.Serializer[Any]):
    """A directory, without its token."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    title = serializers.CharField()
    links_existing = serializers.BooleanField(
        help_text="Takes over accounts of the same name that have no role over the platform."
    )
    rules = RuleOutput(many=True)
    issuer = serializers.CharField()
    client_id = serializers.CharField()
    has_client_secret = serializers.BooleanField()
    subject_claim = serializers.CharField()
    groups_claim = serializers.CharField()
    ldap = LdapOutput(allow_null=True)
    has_bind_password = serializers.BooleanField()
    synced_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was last read by LDAP as a whole."
    )
    sync_fault = SyncFault(allow_null=True)
    callback_url = serializers.CharField(help_text="To be allowed at the provider.")
    scim_url = serializers.CharField()
    has_token = serializers.BooleanField()
    scim_used_at = serializers.DateTimeField(allow_null=True)
    signed_in_at = serializers.DateTimeField(
        allow_null=True, help_text="When somebody last came in by it."
    )
    applied_at = serializers.DateTimeField(
        allow_null=True, help_text="When all its people were last compared with it."
    )
    people = serializers.IntegerField()
    external_groups = serializers.IntegerField()
    version = serializers.IntegerField(help_text="Grows with each change of its settings.")


class DirectoryTokenOutput(DirectoryOutput):
    """A directory with its new token: the only answer that holds it."""

    token = serializers.CharField()


class ExternalGroupOutput(serializers.Serializer[Any]):
    """A group that the directory has reported."""

    id = serializers.UUIDField()
    external_id = serializers.CharField()
    display_name = serializers.CharField()
    people = serializers.IntegerField()


class PlannedChange(serializers.Serializer[Any]):
    """One person gains or loses one thing."""

    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    username = serializers.CharField()
    group = serializers.CharField(help_text="Name of our group; empty: of the whole platform.")
    before = serializers.CharField()
    after = serializers.CharField()


class PlanOutput(serializers.Serializer[Any]):
    """Who would gain and lose what; the first thousand of each are named."""

    changes = PlannedChange(many=True)
    changes_total = serializers.IntegerField()
    kept = PlannedChange(
        many=True, help_text="MappedRoles otherwise, but given by hand or by another directory."
    )
    kept_total = serializers.IntegerField()
    unknown_groups = serializers.ListField(child=serializers.CharField())


class DirectoryListView(ApiView):
    """Directories of the organisation."""

    required_actions = {"GET": Action.DIRECTORY_MANAGE, "POST": Action.DIRECTORY_MANAGE}

    @extend_schema(responses=DirectoryOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of directories."""
        NoFilters.parse(request)
        return paginate(request, selectors.directories_visible_to(request.actor), _present)

    @extend_schema(request=DirectoryInput, responses={201: DirectoryOutput})
    def post(self, request: ApiRequest) -> Response:
        """Set up a directory."""
        given = DirectoryInput.parse(request)
        named = {name: given.pop(name) for name in ("name", "title", "links_existing")}
        row = services.create_directory(actor=request.actor, **named, changes=given)
        return Response(_shown(request, row.pk), status=201)


class DirectoryDetailView(ApiView):
    """One directory."""

    required_actions = {
        "GET": Action.DIRECTORY_MANAGE,
        "PATCH": Action.DIRECTORY_MANAGE,
        "DELETE": Action.DIRECTORY_MANAGE,
    }
    versioned = ("PATCH",)

    @extend_schema(responses=DirectoryOutput)
    def get(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Return one directory."""
        return Response(_shown(request, directory_id))

    @extend_schema(request=DirectoryChange, responses=DirectoryOutput)
    def patch(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Change a directory; people follow new rules within two minutes."""
        changes = DirectoryChange.parse(request)
        version = changes.pop("version", None)
        services.change_directory(
            actor=request.actor, directory_id=directory_id, changes=changes, version=version
        )
        return Response(_shown(request, directory_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Forget a directory; its people keep what they have, and people change that from now on."""
        services.remove_directory(actor=request.actor, directory_id=directory_id)
        return Response(status=204)


class DirectoryTokenView(ApiView):
    """The token with which a directory provisions people by SCIM."""

    required_actions = {"POST": Action.DIRECTORY_MANAGE, "DELETE": Action.DIRECTORY_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(request=None, responses=DirectoryTokenOutput)
    def post(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Make a new token, which ends the old one; it is in this answer only."""
        made = services.issue_scim_token(actor=request.actor, directory_id=directory_id)
        return Response({**_shown(request, directory_id), "token": made.secret})

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, directory_id: UUID) -> Response:
        """End the token."""
        services.revoke_scim_token(actor=request.actor, directory_id=directory_id)
        return Response(status=204)


class DirectorySyncView(ApiView):
    """Readings by LDAP."""

    required_actions = {"POST": Action.DIRECTORY_MANAGE}

    @extend_schema(request=SyncInput, responses={202: None})
    def post(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Have the directory read at once; how it went stands in the directory."""
        given = SyncInput.parse(request)
        services.ask_for_sync(actor=request.actor, directory_id=directory_id, **given)
        return Response(status=202)


class DirectoryPlanView(ApiView):
    """The dry run of rules."""

    required_actions = {"POST": Action.DIRECTORY_MANAGE}

    @extend_schema(request=PlanInput, responses=PlanOutput)
    def post(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Return who would gain and lose what; nothing is changed."""
        given = PlanInput.parse(request)
        plan = services.try_rules(
            actor=request.actor, directory_id=directory_id, rules=given.get("rules")
        )
        return Response(_plan(plan))


class DirectoryGroupListView(ApiView):
    """The groups that a directory has reported."""

    required_actions = {"GET": Action.DIRECTORY_MANAGE}

    @extend_schema(responses=ExternalGroupOutput(many=True))
    def get(self, request: ApiRequest, directory_id: UUID) -> Response:
        """Return one page of groups."""
        NoFilters.parse(request)
        rows = selectors.external_groups_visible_to(request.actor, directory_id)
        return paginate(request, rows, lambda page: ExternalGroupOutput(page, many=True).data)


def _shown(request: ApiRequest, directory_id: UUID) -> dict[str, Any]:
    return _present([selectors.directory_visible_to(request.actor, directory_id)])[0]


def _present(page: Sequence[Directory]) -> list[dict[str, Any]]:
    versions = read_versions(DIRECTORY, [row.pk for row in page])
    return [dict(DirectoryOutput(_fields(row, versions)).data) for row in page]


def _fields(row: Directory, versions: Mapping[str, int]) -> dict[str, Any]:
    names = (
        *("id", "name", "title", "links_existing", "rules", "scim_used_at", "signed_in_at"),
        *("applied_at", "ldap", "synced_at", "sync_fault"),
        *("people", "external_groups", "issuer", "client_id", "subject_claim", "groups_claim"),
    )
    return {
        **{name: getattr(row, name) for name in names},
        "scim_url": f"{get_site_config().portal_url}/{ROOT}",
        "callback_url": f"{get_site_config().portal_url}/sign-in/oidc/{row.name}/callback",
        "has_client_secret": bool(row.encrypted_client_secret),
        "has_bind_password": bool(row.encrypted_bind_password),
        "has_token": bool(row.scim_digest),
        "version": versions.get(str(row.pk), UNCHANGED),
    }


def _plan(plan: DirectoryPlan) -> dict[str, Any]:
    return {
        "changes": PlannedChange(plan.changes[:SHOWN_MAX], many=True).data,
        "changes_total": len(plan.changes),
        "kept": PlannedChange(plan.kept[:SHOWN_MAX], many=True).data,
        "kept_total": len(plan.kept),
        "unknown_groups": list(plan.unknown_groups),
    }
