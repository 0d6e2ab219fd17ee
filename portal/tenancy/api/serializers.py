"""Serializers of members, accounts, robots and tokens."""

from typing import Any

from django.core.validators import EmailValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from typing_extensions import override

from portal.common.actions import Action
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NameField,
    OneOfField,
    PatternField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.identity.models import User, UserKind
from portal.tenancy.models import Membership

TOKEN_DAYS_MAX = 365
"""How long an API token may be valid."""


class MembershipOutput(serializers.Serializer[Any]):
    """One group of a user, and the role in it."""

    group = TitledRef()
    role = serializers.CharField()


class MeOutput(UserRef):
    """The caller."""

    kind = serializers.ChoiceField(["person", "robot"])
    platform_role = serializers.CharField()
    time_zone = serializers.CharField(help_text="Empty is that of each browser.")
    hours = serializers.ChoiceField(
        User.Hours.choices,
        help_text="Empty until a clock was chosen: then each browser has its own.",
    )
    memberships = MembershipOutput(many=True)


class ClockInput(InputSerializer):
    """The clock by which the caller reads times, in every browser and in mails."""

    time_zone = StrictCharField(max_length=64, allow_blank=True)
    hours = OneOfField(["h23", "h12"])


class GroupMemberOutput(serializers.Serializer[Any]):
    """A member of a group, with the strongest role."""

    user = UserRef()
    role = serializers.CharField()
    kind = serializers.ChoiceField(UserKind.values, source="user.kind")
    is_own = serializers.BooleanField(help_text="Of this very group, not of one above it.")
    directory = serializers.CharField(
        help_text="Name of the directory that gave it and alone changes it; empty: people did."
    )


class MemberInput(InputSerializer):
    """A new member, by exact user name."""

    username = StrictCharField(max_length=32)
    role = OneOfField(Membership.Role.values)


class MemberChange(InputSerializer):
    """Another role of a member."""

    role = OneOfField(Membership.Role.values)


class UserQuery(QuerySerializer):
    """Filters and order of the list of people."""

    search = StrictCharField(max_length=100, required=False)
    ordering = OneOfField(
        choices=("-created_at", "created_at", "username", "-username"),
        required=False,
        default="-created_at",
    )


class AddressField(StrictCharField):
    """A mail address in lower case, or nothing."""

    def __init__(self, **options: Any) -> None:
        """Take what Django takes for an address."""
        valid = EmailValidator(code="mail_address_not_allowed")
        super().__init__(max_length=254, allow_blank=True, validators=[valid], **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the address as it is looked up."""
        return super().to_internal_value(data).lower()


class AccountNameField(PatternField):
    """The name of an account: plain, because it stands in addresses, files and commands."""

    def __init__(self) -> None:
        """Take what the table takes."""
        super().__init__(
            r"^[a-z0-9][a-z0-9._-]{0,31}$", fault="path_name_not_allowed", max_length=32
        )


class UserChange(InputSerializer):
    """What may be changed of a person; what is left out stays."""

    display_name = NameField(max_length=100, required=False)
    email = AddressField(required=False)
    """Where a forgotten password can be reset; empty is nowhere."""
    platform_role = OneOfField(User.PlatformRole.values, required=False)
    is_active = StrictBooleanField(required=False)


class UserInput(InputSerializer):
    """A new account; the server generates the password."""

    username = AccountNameField()
    display_name = NameField(max_length=100)
    email = AddressField(default="")
    platform_role = OneOfField(User.PlatformRole.values, default="")


class UserOutput(UserRef):
    """An account as administrators see it."""

    email = serializers.CharField()
    platform_role = serializers.CharField()
    is_active = serializers.BooleanField()
    last_login = serializers.DateTimeField(allow_null=True)
    memberships = serializers.SerializerMethodField()

    @extend_schema_field(MembershipOutput(many=True))
    def get_memberships(self, person: Any) -> Any:
        """Return the person's own memberships, by group."""
        rows = sorted(person.memberships.all(), key=lambda row: row.group.name)
        return MembershipOutput(rows, many=True).data


class UserPasswordOutput(UserOutput):
    """An account with its new password: the only answer that holds it."""

    password = serializers.CharField()


class RobotInput(InputSerializer):
    """A robot to create."""

    group = IdField()
    name = AccountNameField()


class RobotChangeInput(InputSerializer):
    """What to change of a robot."""

    is_active = StrictBooleanField()


class RobotOutput(serializers.Serializer[Any]):
    """A service account and the group that owns it."""

    id = serializers.UUIDField()
    name = serializers.CharField(source="username")
    group = serializers.SerializerMethodField()
    is_active = serializers.BooleanField()
    created_at = serializers.DateTimeField(source="date_joined")

    def get_group(self, robot: Any) -> dict[str, Any] | None:
        """Return the owning group: a robot's only membership."""
        owning = [membership.group for membership in robot.memberships.all()]
        return dict(TitledRef(owning[0]).data) if owning else None


class TokenInput(InputSerializer):
    """A token to create, for the caller or for a robot."""

    name = NameField(max_length=100)
    scopes = serializers.ListField(
        child=OneOfField([action.value for action in Action]),
        min_length=1,
        max_length=len(Action),
    )
    expires_in_days = StrictIntegerField(min_value=1, max_value=TOKEN_DAYS_MAX)
    robot = IdField(required=False, allow_null=True)


class TokenOutput(serializers.Serializer[Any]):
    """A token without its secret."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    user = UserRef()
    scopes = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class IssuedTokenOutput(TokenOutput):
    """A new token: the only answer that holds the secret."""

    token = StrictCharField()
