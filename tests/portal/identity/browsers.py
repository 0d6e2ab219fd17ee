"""A browser that signs in by the account API, with authenticator app and passkey."""

import base64
import hashlib
import hmac
import json
import os
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import Client
from fido2.cose import ES256
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from portal.identity.models import User
from tests.builders.people import PASSWORD, a_user
from tests.rest import API, json_of

AUTH = "/_allauth/browser/v1/auth"
ACCOUNT = "/_allauth/browser/v1/account"
TOTP = f"{ACCOUNT}/authenticators/totp"
RECOVERY_CODES = f"{ACCOUNT}/authenticators/recovery-codes"
WEBAUTHN = f"{ACCOUNT}/authenticators/webauthn"


def a_browser(**defaults: Any) -> Client:
    """Return a browser that has loaded the first page, and so holds the CSRF cookie."""
    client = Client(enforce_csrf_checks=True, **defaults)
    client.get(f"{API}/config")
    return client


def send(client: Client, address: str, body: dict[str, Any], *, method: str = "POST") -> Any:
    """Send a body as the pages do."""
    csrf = client.cookies["berth-csrf"].value
    return client.generic(
        method,
        address,
        json.dumps(body),
        content_type="application/json",
        headers={"X-CSRFToken": csrf},
    )


def sign_in(client: Client, username: str, password: str = PASSWORD) -> Any:
    """Send name and password."""
    return send(client, f"{AUTH}/login", {"username": username, "password": password})


def a_signed_in_browser(**defaults: Any) -> tuple[Client, User]:
    """Return a browser with a session, and whose it is."""
    user, client = a_user(can_sign_in=True), a_browser(**defaults)
    json_of(sign_in(client, user.username))
    return client, user


def confirm_password(client: Client) -> None:
    """Give the password once more, as changes of second factors demand."""
    json_of(send(client, f"{AUTH}/reauthenticate", {"password": PASSWORD}))


def enrol_app(client: Client) -> str:
    """Enrol an authenticator app; return the address that it got from the QR code."""
    confirm_password(client)
    address: str = json_of(client.get(TOTP), 404)["meta"]["totp_url"]
    json_of(send(client, TOTP, {"code": code_of(address)}))
    return address


def code_of(address: str) -> str:
    """Return the present code of an app that scanned this address."""
    given = dict(parse_qsl(urlsplit(address).query))
    return totp(given["secret"], int(given["period"]))


def totp(secret: str, period_s: int = 30) -> str:
    """Return the present code for a secret (RFC 6238, SHA-1, six digits)."""
    counter = int(time.time()) // period_s
    key = base64.b32decode(secret)
    digest = hmac.digest(key, counter.to_bytes(8, "big"), hashlib.sha1)
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**6:06d}"


@dataclass
class Passkey:
    """A security key in software (WebAuthn level 2, ES256, no attestation)."""

    origin: str = "https://testserver"
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    credential_id: bytes = field(default_factory=lambda: os.urandom(32))
    user_handle: str = ""

    def create(
        self, options: dict[str, Any], public_key: dict[int, Any] | None = None
    ) -> dict[str, Any]:
        """Make the key, as a browser is asked to when one is added; or show another than its own."""
        self.user_handle = options["user"]["id"]
        point = self.key.public_key().public_numbers()
        own = {1: 2, 3: -7, -1: 1, -2: _bytes(point.x), -3: _bytes(point.y)}
        public = ES256(own if public_key is None else public_key)
        credential = AttestedCredentialData.create(bytes(16), self.credential_id, public)
        flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV | AuthenticatorData.FLAG.AT
        seen = AuthenticatorData.create(_digest(options["rp"]["id"]), flags, 0, credential)
        attestation = AttestationObject.create("none", seen, {})
        return self._answer(
            {
                "clientDataJSON": _text(self._client_data("webauthn.create", options)),
                "attestationObject": _text(bytes(attestation)),
            }
        )

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """Prove that the key is at hand, as a browser is asked to at sign-in."""
        flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV
        seen = bytes(AuthenticatorData.create(_digest(options["rpId"]), flags, 1))
        data = self._client_data("webauthn.get", options)
        signature = self.key.sign(seen + hashlib.sha256(data).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            {
                "clientDataJSON": _text(data),
                "authenticatorData": _text(seen),
                "signature": _text(signature),
                "userHandle": self.user_handle,
            }
        )

    def _client_data(self, kind: str, options: dict[str, Any]) -> bytes:
        return bytes(CollectedClientData.create(kind, options["challenge"], self.origin))

    def _answer(self, response: dict[str, Any]) -> dict[str, Any]:
        name = _text(self.credential_id)
        return {
            "id": name,
            "rawId": name,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {"credProps": {"rk": True}},
        }


def _digest(rp_id: str) -> bytes:
    return hashlib.sha256(rp_id.encode()).digest()


def _bytes(coordinate: int) -> bytes:
    return coordinate.to_bytes(32, "big")


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
