"""How the people of a directory sign in: shapes of requests and answers."""

import ssl
from typing import Any, Final
from urllib.parse import urlsplit

from ldap3.core.exceptions import LDAPException
from ldap3.operation.search import parse_filter
from ldap3.utils.dn import parse_dn
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import (
    FieldFault,
    InputSerializer,
    PatternField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.directory.ldap.settings import EVERY_MIN_LEAST, EVERY_MIN_MOST, PORTS, LdapSettings

_CLAIM: Final = r"^[A-Za-z0-9_:./-]{1,100}$"
_ATTRIBUTE: Final = r"^[A-Za-z][A-Za-z0-9-]{0,62}$"
CERTIFICATE_LENGTH_MAX: Final = 20_000
"""Characters of the certificate of an authority."""
_DEFAULTS: Final = LdapSettings("", "")


class IssuerField(StrictCharField):
    """Address of a provider of OpenID Connect, or nothing; without TLS only on this machine."""

    def __init__(self, **options: Any) -> None:
        """Limit the length."""
        super().__init__(max_length=200, allow_blank=True, **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the address without a slash at its end."""
        issuer = super().to_internal_value(data).rstrip("/")
        parts = urlsplit(issuer)
        is_near = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
        is_plain = parts.hostname and not (parts.query or parts.fragment or parts.username)
        if issuer and not (is_plain and (parts.scheme == "https" or is_near)):
            raise ValidationError([FieldFault("issuer_not_allowed")])
        return issuer


class LdapAddressField(StrictCharField):
    """`ldaps://host[:port]` or `ldap://host[:port]`."""

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the address."""
        url = super().to_internal_value(data).rstrip("/")
        parts = urlsplit(url)
        try:
            is_whole = bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_whole = False
        is_more = parts.path or parts.query or parts.fragment or parts.username
        if parts.scheme not in PORTS or not is_whole or is_more:
            raise ValidationError([FieldFault("ldap_address_not_allowed")])
        return url


class DnField(StrictCharField):
    """Name of an entry."""

    def __init__(self, **options: Any) -> None:
        """Limit the length."""
        super().__init__(max_length=500, **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the name, if it is one."""
        dn = super().to_internal_value(data)
        try:
            parse_dn(dn)
        except LDAPException:
            raise ValidationError([FieldFault("dn_not_allowed")]) from None
        return dn


class LdapFilterField(StrictCharField):
    """A filter in its brackets."""

    def __init__(self, **options: Any) -> None:
        """Limit the length."""
        super().__init__(max_length=1000, **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the filter, if it is one."""
        wanted = super().to_internal_value(data)
        try:
            parse_filter(wanted, None, False, False, None, False)
        except LDAPException:
            raise ValidationError([FieldFault("ldap_filter_not_allowed")]) from None
        return wanted


class CertificateField(StrictCharField):
    """Certificates of authorities as PEM, or nothing."""

    def __init__(self, **options: Any) -> None:
        """Limit the length."""
        super().__init__(max_length=CERTIFICATE_LENGTH_MAX, allow_blank=True, **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the text, if TLS can use it."""
        pem = super().to_internal_value(data)
        if pem:
            try:
                ssl.create_default_context(cadata=pem)
            except (ssl.SSLError, ValueError):
                raise ValidationError([FieldFault("certificate_not_allowed")]) from None
        return pem


def _attribute(default: str) -> PatternField:
    return PatternField(
        _ATTRIBUTE, fault="ldap_attribute_not_allowed", max_length=63, default=default
    )


class LdapInput(InputSerializer):
    """Where a directory is reached by LDAP, and under what it keeps people and groups."""

    url = LdapAddressField(max_length=200)
    is_plain = StrictBooleanField(
        default=False, help_text="Allows `ldap://` without TLS: passwords can be read on the way."
    )
    ca_certificate = CertificateField(
        default="", help_text="PEM; empty: authorities of the system."
    )
    bind_dn = DnField(default="", allow_blank=True)
    people_base = DnField()
    people_filter = LdapFilterField(default=_DEFAULTS.people_filter)
    groups_base = DnField(default="", allow_blank=True)
    groups_filter = LdapFilterField(default=_DEFAULTS.groups_filter)
    id_attribute = _attribute(_DEFAULTS.id_attribute)
    name_attribute = _attribute(_DEFAULTS.name_attribute)
    display_attribute = _attribute(_DEFAULTS.display_attribute)
    email_attribute = _attribute(_DEFAULTS.email_attribute)
    group_name_attribute = _attribute(_DEFAULTS.group_name_attribute)
    every_min = StrictIntegerField(
        min_value=EVERY_MIN_LEAST,
        max_value=EVERY_MIN_MOST,
        default=_DEFAULTS.every_min,
        help_text="Minutes between two readings.",
    )

    @override
    def validate(self, attrs: dict[str, Any]) -> Any:
        """Return the settings."""
        return LdapSettings(**attrs)


class LdapOutput(serializers.Serializer[Any]):
    """How a directory is reached by LDAP, without the password."""

    url = serializers.CharField()
    is_plain = serializers.BooleanField()
    ca_certificate = serializers.CharField()
    bind_dn = serializers.CharField()
    people_base = serializers.CharField()
    people_filter = serializers.CharField()
    groups_base = serializers.CharField()
    groups_filter = serializers.CharField()
    id_attribute = serializers.CharField()
    name_attribute = serializers.CharField()
    display_attribute = serializers.CharField()
    email_attribute = serializers.CharField()
    group_name_attribute = serializers.CharField()
    every_min = serializers.IntegerField()


class SyncFault(serializers.Serializer[Any]):
    """Why the last reading failed: a code with what its sentence has."""

    code = serializers.CharField()
    params = serializers.DictField()


class SyncInput(InputSerializer):
    """A reading at once."""

    accepts_leavers = StrictBooleanField(
        default=False, help_text="Shuts out whoever has left, however many they are."
    )


class SignInInput(InputSerializer):
    """How the people of a directory sign in."""

    issuer = IssuerField(required=False)
    client_id = StrictCharField(max_length=200, required=False, allow_blank=True)
    client_secret = StrictCharField(
        max_length=1000, required=False, allow_blank=True, trim_whitespace=False
    )
    subject_claim = PatternField(_CLAIM, fault="claim_not_allowed", max_length=40, required=False)
    groups_claim = PatternField(_CLAIM, fault="claim_not_allowed", max_length=100, required=False)
    ldap = LdapInput(required=False, allow_null=True)
    bind_password = StrictCharField(
        max_length=1000, required=False, allow_blank=True, trim_whitespace=False
    )
