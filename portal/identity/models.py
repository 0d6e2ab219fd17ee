"""Users (persons and robots), and the tokens and SSH keys by which they act without a browser."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.crypto import salted_hmac
from typing_extensions import override

from portal.common.clock import now
from portal.common.ids import new_id
from portal.common.models import Entity
from portal.outbound.models import OutboundChannel, OutboundMessage


class UserKind(models.TextChoices):
    """Person or service account."""

    PERSON = "person"
    ROBOT = "robot"


class User(AbstractUser):
    """A person or a robot. A robot has no password; its group is its only membership."""

    class PlatformRole(models.TextChoices):
        """Rights over the whole platform; most people have none."""

        NONE = ""
        ADMIN = "platform_admin"
        OPERATOR = "operator"
        AUDITOR = "auditor"

    class Hours(models.TextChoices):
        """How a clock counts hours, in the words of browsers."""

        NONE = ""
        H23 = "h23"
        H12 = "h12"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=8, choices=UserKind.choices, default=UserKind.PERSON)
    display_name = models.CharField(max_length=100, blank=True)
    platform_role = models.CharField(
        max_length=16, choices=PlatformRole.choices, default=PlatformRole.NONE, blank=True
    )

    language = models.CharField(max_length=8, blank=True, default="", db_default="")
    """Of the page at the last sign-in, which mails are written in; empty is English."""
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    """In which pages and mails show times; empty is that of each browser, and of the site in mails."""
    hours = models.CharField(
        max_length=3, choices=Hours.choices, blank=True, default="", db_default=""
    )
    """Empty until a clock was chosen: then each browser keeps its own."""
    inbox_turned: "models.JSONField[Any, Any]" = models.JSONField(default=list, db_default=[])
    """Kinds of notices that were turned off in the inbox, and quiet ones that were turned on there."""
    mails_turned: "models.JSONField[Any, Any]" = models.JSONField(
        db_column="mails_off", default=list, db_default=[]
    )
    """The same of mails; see `portal.notices.kinds.turn`."""
    access_ended_at = models.DateTimeField(null=True)
    """Of the last deactivation: sessions and grants from before stay closed when the account is active again."""

    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta(AbstractUser.Meta):
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=models.Q(username__regex=r"^[a-z0-9][a-z0-9._-]{0,31}$"),
                name="user_name_is_plain",
            ),
        ]

    @override
    def get_session_auth_hash(self) -> str:
        """Return what a session must hold to be valid: of the password, and of the last deactivation."""
        of_password = super().get_session_auth_hash()
        if self.access_ended_at is None:
            return of_password
        moment = self.access_ended_at.isoformat()
        return salted_hmac("berth.session", of_password + moment, algorithm="sha256").hexdigest()


class ApiToken(Entity):
    """A bearer credential with scopes that only narrow what its user may do.

    The secret is shown once; the row keeps its SHA-256 (it has 256 bits of its own).
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Values of `portal.common.actions.Action`."""
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")


class SshKey(Entity):
    """A public key with which its user opens running containers over SSH."""

    user = models.ForeignKey(User, models.CASCADE, related_name="ssh_keys")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=32)
    """Algorithm, as OpenSSH names it."""
    public_key = models.TextField()
    """Algorithm and base64 in one line, without a comment."""
    fingerprint = models.CharField(max_length=64, unique=True)
    """`SHA256:…`, as OpenSSH shows it; unique, because the key alone identifies the user."""
    last_used_at = models.DateTimeField(null=True)


class OutgoingMail(Entity):
    """A mail that waits to be sent: written with what it tells of, removed when the server has taken it."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    code = models.CharField(max_length=40)
    """Names its sentences in the catalogue: `mail.<code>.subject` and `.body`."""
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=now)

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="outgoing_mail_due")]


class Notice(Entity):
    """What a person was notified of: a line of the inbox on the page."""

    user = models.ForeignKey(User, models.CASCADE, related_name="notices", db_index=False)
    code = models.CharField(max_length=40)
    """Names its sentences in the catalogue: `mail.<code>.subject` and `.body`."""
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    path = models.CharField(max_length=200, blank=True)
    """Of the page that it is about."""
    read_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["user", "-id"], name="notice_by_user"),
            models.Index(fields=["created_at"], name="notice_by_age"),
        ]


class NoticeChannel(OutboundChannel):
    """Where the notices of a person go outside of the portal, besides mail."""

    user = models.OneToOneField(User, models.CASCADE, related_name="notice_channel")
    kinds_turned: "models.JSONField[Any, Any]" = models.JSONField(
        db_column="kinds_off", default=list
    )
    """Kinds of notices that were turned off or, of the quiet ones, on; see `portal.notices.kinds.turn`."""


class OutgoingNotice(OutboundMessage):
    """A notice that waits to be sent to the channel of its person."""

    channel = models.ForeignKey(
        NoticeChannel, models.CASCADE, related_name="waiting", db_index=False
    )
    code = models.CharField(max_length=40)
    """As in `Notice`."""
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    path = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [models.Index(fields=["channel", "due_at"], name="outgoing_notice_due")]
