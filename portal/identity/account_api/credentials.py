"""Answers of passkeys, as browsers write them: read whole before the library sees them.

The library hands them to a parser that takes any JSON: a number in place of bytes makes it reserve as many,
and what it cannot read ends as a fault of ours.
"""

import re
import struct
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Final

from cryptography.exceptions import InvalidSignature
from fido2.webauthn import AuthenticationResponse, RegistrationResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.parsing import MalformedError, parse_object
from portal.common.rest.serializers import FieldFault

_BYTES: Final = re.compile(r"[A-Za-z0-9_-]+")
"""Base64 as WebAuthn writes it."""
_UNREADABLE: Final = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError),
    *(struct.error, RecursionError, NotImplementedError, MalformedError),
)
"""What the parser and the keys in it raise over bytes that are none of theirs."""


class CredentialField(serializers.Field[Any, Any, Any, Any]):
    """What a passkey answers; what is not read here, such as transports, may be anything."""

    answer: ClassVar[type[AuthenticationResponse | RegistrationResponse]]
    """The library's own form of it."""
    parts: ClassVar[tuple[str, ...]]
    """Bytes in its `response`."""

    @override
    def to_representation(self, value: Any) -> Any:
        """Return it as it is; it is only ever read."""
        return value

    @override
    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the answer as it was sent, or the fault."""
        try:
            self._require_shape(data)
            self._require_readable(self.answer.from_dict(data))
        except _UNREADABLE as error:
            raise ValidationError([FieldFault("not_a_passkey")]) from error
        return dict(data)

    def _require_shape(self, data: Any) -> None:
        """Raise unless all is what its name says."""
        response, extensions = data["response"], data.get("clientExtensionResults", {})
        texts = (data["id"], data["rawId"], *(response[name] for name in self.parts))
        if response.get("userHandle") is not None:
            texts += (response["userHandle"],)
        has_bytes = all(isinstance(text, str) and _BYTES.fullmatch(text) for text in texts)
        is_key = data["type"] == "public-key"
        properties = extensions.get("credProps", {})
        if not (has_bytes and is_key and isinstance(properties, Mapping)):
            raise ValueError("not an answer of a passkey")
        self._require_client_data(response["clientDataJSON"])

    def _require_client_data(self, text: str) -> None:
        said = parse_object(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if not all(isinstance(said[name], str) for name in ("type", "challenge", "origin")):
            raise ValueError("not what a browser says of itself")

    def _require_readable(self, parsed: Any) -> None:
        """Raise unless what the parser has read can be worked with."""


class NewPasskeyField(CredentialField):
    """A passkey that was made just now: it holds a key that can check signatures."""

    answer = RegistrationResponse
    parts = ("clientDataJSON", "attestationObject")

    @override
    def _require_readable(self, parsed: Any) -> None:
        made = parsed.response.attestation_object.auth_data.credential_data
        with suppress(InvalidSignature):
            made.public_key.verify(b"", b"")
            raise ValueError("a key that takes an empty signature")


class PasskeyProofField(CredentialField):
    """A proof that a passkey is at hand."""

    answer = AuthenticationResponse
    parts = ("clientDataJSON", "authenticatorData", "signature")
