"""Directories, and the people and groups that they have reported."""

from typing import Any, ClassVar

from django.db import models
from django.db.models.functions import Lower

from portal.common.clock import now
from portal.common.models import Entity
from portal.identity.models import User


class Directory(Entity):
    """An identity provider that provisions people, signs them in, or both."""

    name = models.SlugField(max_length=40, unique=True)
    """In addresses, the audit log and memberships; never changes."""
    title = models.CharField(max_length=100)
    """As people know it."""
    rules: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """What its groups mean here: objects as `portal.directory.mapping.Rule` writes them."""
    rules_changed_at = models.DateTimeField(default=now)
    links_existing = models.BooleanField(default=False)
    """Whether it takes over an account that is there already, without a role over the platform."""
    scim_digest = models.CharField(max_length=64, blank=True, default="")
    """SHA-256 of the token with which it provisions people; empty: it does not."""
    scim_used_at = models.DateTimeField(null=True)
    signed_in_at = models.DateTimeField(null=True)
    """When somebody last came in by it."""
    issuer = models.CharField(max_length=200, blank=True, default="", db_default="")
    """Of OpenID Connect, by which its people sign in; empty: they do not."""
    client_id = models.CharField(max_length=200, blank=True, default="", db_default="")
    encrypted_client_secret = models.TextField(blank=True, default="", db_default="")
    subject_claim = models.CharField(max_length=40, default="sub", db_default="sub")
    """Which claim says who somebody is: equal to the id, or the name, that provisioning reports of them."""
    groups_claim = models.CharField(max_length=100, default="groups", db_default="groups")
    """Which claim names the groups of a person; read where the directory does not provision."""
    ldap: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """How it is read, as `portal.directory.ldap.settings.LdapSettings` writes it; null: not by LDAP."""
    encrypted_bind_password = models.TextField(blank=True, default="", db_default="")
    sync_tried_at = models.DateTimeField(null=True)
    """When it was last begun to be read; null: at once."""
    synced_at = models.DateTimeField(null=True)
    """When it was last read as a whole."""
    sync_fault: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """Code and parameters of why the last reading failed; null where it did not."""
    accepts_leavers = models.BooleanField(default=False, db_default=False)
    """Whether the next reading may shut out however many have left."""
    applied_at = models.DateTimeField(null=True)
    """When all its people were last brought to what it says."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["scim_digest"],
                condition=~models.Q(scim_digest=""),
                name="directory_token_once",
            ),
        ]


class ExternalAccount(Entity):
    """A person of a directory, and the account that is theirs here.

    It stays when the directory removes the person, who is the same account when it comes back.
    """

    directory = models.ForeignKey(
        Directory, models.CASCADE, related_name="accounts", db_index=False
    )
    user = models.ForeignKey(User, models.CASCADE, related_name="external_accounts")
    external_id = models.CharField(max_length=255, blank=True, default="")
    """Of the directory, which never gives it to another person; empty where it has reported none."""
    user_name = models.CharField(max_length=255)
    """As the directory writes it; that of the account is plain."""
    document: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """What else it reported, as it reads it again."""
    claimed_groups: "models.JSONField[Any, Any]" = models.JSONField(default=list, db_default=[])
    """Groups, by name or id, that its provider claimed at the last sign-in."""
    is_wanted = models.BooleanField(default=True)
    """Its last word on whether the person may come in."""
    is_shut_out = models.BooleanField(default=False)
    """Whether the account was deactivated by its word; then its word activates it again."""
    given_platform_role = models.CharField(max_length=16, blank=True, default="")
    """Which role over the platform the account has by its groups."""
    changed_at = models.DateTimeField(default=now)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["directory", "user"], name="external_account_once"),
            models.UniqueConstraint(
                "directory",
                Lower("user_name"),
                condition=models.Q(removed_at=None),
                name="external_user_name_once",
            ),
            models.UniqueConstraint(
                fields=["directory", "external_id"],
                condition=models.Q(removed_at=None) & ~models.Q(external_id=""),
                name="external_id_once",
            ),
        ]


class ExternalGroup(Entity):
    """A group of a directory, with those of its people who are in it."""

    directory = models.ForeignKey(Directory, models.CASCADE, related_name="groups", db_index=False)
    external_id = models.CharField(max_length=255, blank=True, default="")
    display_name = models.CharField(max_length=255)
    members: "models.ManyToManyField[ExternalAccount, Any]" = models.ManyToManyField(
        ExternalAccount, related_name="groups"
    )
    changed_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                "directory", Lower("display_name"), name="external_group_name_once"
            ),
            models.UniqueConstraint(
                fields=["directory", "external_id"],
                condition=~models.Q(external_id=""),
                name="external_group_id_once",
            ),
        ]
