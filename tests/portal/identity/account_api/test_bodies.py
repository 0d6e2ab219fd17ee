"""Bodies of every kind at every address of sign-in: taken or refused with words, never a fault of ours.

Bodies are drawn from a grammar: what the pages send, with any part left out, exchanged, broken in its bytes or
followed by what nobody asked for.
"""

import json
import struct
from base64 import urlsafe_b64encode
from functools import partial
from hashlib import sha256
from typing import Any, Final

import pytest
from django.core.cache import cache
from django.test import Client
from fido2 import cbor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.identity.account_api.endpoints import ENDPOINTS
from portal.identity.account_api.gate import BODY_MAX
from portal.identity.account_api.views import PASSKEYS_MAX
from tests.builders.people import PASSWORD
from tests.portal.identity.browsers import (
    ACCOUNT,
    AUTH,
    WEBAUTHN,
    Passkey,
    a_browser,
    a_signed_in_browser,
    confirm_password,
    enrol_app,
    send,
    sign_in,
)
from tests.rest import json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

BASE: Final = "/_allauth/browser/v1/"
WITH_BODY: Final = [
    (method, each.path) for each in ENDPOINTS for method in each.bodies if method != "GET"
]
SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=40),
    st.sampled_from(["", " ", "\x00", "\u202e", "-1", "x" * 3000, "é" * 64]),
)
JUNK: Final = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
RAW: Final = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [
            b"",
            b"null",
            b"[]",
            b"7",
            b'"x"',
            b"{",
            b'{"a":1,"a":2}',
            b"\xff\xfe{}",
            b'{"username":"\\ud800"}',
            b'{"password":NaN}',
            b'{"a":' * 2000,
            b'{"a":"' + b"x" * (BODY_MAX + 1) + b'"}',
        ]
    ),
)


def base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


CLIENT_DATA: Final = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["webauthn.get", "webauthn.create"]) | JUNK,
        "challenge": st.just("AAAA") | st.integers(0, 2**60) | JUNK,
        "origin": st.sampled_from(["https://testserver", "x"]) | JUNK,
    },
).map(lambda said: base64(json.dumps(said).encode()))
DEEP: Final = b"\x81" * 5000
"""A list in a list in a list."""
KEYS: Final = st.dictionaries(
    st.sampled_from([1, 3, -1, -2, -3, 0]),
    st.integers(-300, 10) | st.binary(max_size=40) | st.booleans(),
    max_size=5,
).map(cbor.encode)
AUTHENTICATOR_DATA: Final = st.builds(
    lambda host, flags, name, key, end: (
        sha256(host).digest()
        + struct.pack(">BI", flags, 1)
        + bytes(16)
        + struct.pack(">H", len(name))
        + name
        + key
        + end
    ),
    st.sampled_from([b"testserver", b"x"]),
    st.integers(0, 255),
    st.binary(max_size=32),
    KEYS | st.binary(max_size=20) | st.just(DEEP),
    st.sampled_from([b"", b"\xa0", b"\xc0", b"\xa1\x80\x00", DEEP]),
)
BYTES: Final = st.binary(max_size=80).map(base64) | JUNK
RESPONSE: Final = st.fixed_dictionaries(
    {},
    optional={
        "clientDataJSON": CLIENT_DATA | BYTES,
        "authenticatorData": AUTHENTICATOR_DATA.map(base64) | BYTES,
        "signature": BYTES,
        "userHandle": BYTES,
        "attestationObject": st.builds(
            lambda form, data: base64(cbor.encode({"fmt": form, "attStmt": {}, "authData": data})),
            st.sampled_from(["none", "packed", ""]),
            AUTHENTICATOR_DATA,
        )
        | BYTES,
        "transports": JUNK,
    },
)
CREDENTIAL: Final = st.fixed_dictionaries(
    {},
    optional={
        "id": st.just("AAAA") | JUNK,
        "rawId": st.just("AAAA") | st.integers(0, 2**60) | BYTES,
        "type": st.just("public-key") | JUNK,
        "response": RESPONSE | JUNK,
        "clientExtensionResults": st.dictionaries(st.just("credProps"), JUNK) | JUNK,
        "authenticatorAttachment": JUNK,
    },
)
FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "username": st.just("li.wei") | JUNK,
    "password": st.just(PASSWORD) | JUNK,
    "current_password": st.just("wrong") | JUNK,
    "new_password": st.just("short") | JUNK,
    "email": st.just("li.wei@example.org") | JUNK,
    "key": st.just("1-c9xs-0") | JUNK,
    "code": st.sampled_from(["123456", "１２３４５６", "12 34-56"]) | JUNK,
    "name": st.just("laptop") | JUNK,
    "passwordless": st.booleans() | JUNK,
    "credential": CREDENTIAL | JUNK,
    "authenticators": st.lists(st.integers(), max_size=3) | JUNK,
    "sessions": st.lists(st.integers(), max_size=3) | JUNK,
    "surprise": JUNK,
}
BODIES: Final = RAW | st.one_of(
    st.fixed_dictionaries({}, optional=FIELDS),
    st.fixed_dictionaries({"credential": CREDENTIAL}),
    JUNK,
).map(lambda body: json.dumps(body).encode())
TYPES: Final = st.sampled_from(
    [
        *(["application/json"] * 6),
        *("application/json; charset=utf-16", "text/plain", ""),
        *("multipart/form-data; boundary=x", "application/x-www-form-urlencoded"),
    ]
)


def a_stranger() -> Client:
    return a_browser()


def somebody_half_signed_in() -> Client:
    client, user = a_signed_in_browser()
    enrol_app(client)
    elsewhere = a_browser()
    assert sign_in(elsewhere, user.username).status_code == 401
    return elsewhere


def somebody_with_the_password_given() -> Client:
    client, _ = a_signed_in_browser()
    enrol_app(client)
    confirm_password(client)
    return client


@pytest.mark.timeout(900)  # thousands of requests, on a busy machine too
@pytest.mark.parametrize(
    "who", [a_stranger, somebody_half_signed_in, somebody_with_the_password_given]
)
def test_no_body_is_a_fault_of_ours(who: Any, caplog: pytest.LogCaptureFixture) -> None:
    client = who()
    for path in (
        "auth/webauthn/login",
        "auth/webauthn/authenticate",
        "account/authenticators/webauthn",
    ):
        client.get(BASE + path)  # the challenge that a proof answers
    kept = client.cookies["berth-session"].value if "berth-session" in client.cookies else ""
    asked = partial(_ask, client, kept, caplog)
    for method, path in WITH_BODY:
        if (method, path) != ("DELETE", "auth/session"):
            _given(asked, method, BASE + path)


def _given(ask: Any, method: str, address: str) -> None:
    @settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(body=BODIES, media_type=TYPES)
    def run(body: bytes, media_type: str) -> None:
        ask(method, address, body, media_type)

    run()


def _ask(
    client: Client,
    session: str,
    caplog: pytest.LogCaptureFixture,
    *request: Any,
) -> None:
    method, address, body, media_type = request
    cache.clear()
    if session:
        client.cookies["berth-session"] = session
    headers = {"X-CSRFToken": client.cookies["berth-csrf"].value}
    answer: Any = client.generic(method, address, body, media_type, headers=headers)
    what = (method, address, body[:400], media_type, answer.status_code, answer.content[:400])
    assert answer.status_code < 500, what
    assert answer.status_code != 429, what
    assert not [record for record in caplog.records if record.exc_info], what
    caplog.clear()
    if answer.status_code == 400:
        is_problem = answer["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"] if is_problem else answer.json()["errors"], what


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_input"),
        (b"{}", "invalid_input"),
        (b'{"username": 7, "password": "x"}', "invalid_input"),
        (b'{"username": "x", "password": ["x"]}', "invalid_input"),
        (b'{"username": "x", "password": "y", "remember": true}', "invalid_input"),
        (b"[]", "body_not_object"),
        (b"{", "body_not_json"),
        (b'{"username": "a", "username": "b"}', "body_duplicate_key"),
        (b"\xff", "body_not_utf8"),
        (b'{"username": "\\u0000", "password": "x"}', "body_has_nul"),
    ],
)
def test_a_malformed_body_is_a_problem(body: bytes, code: str) -> None:
    client = a_browser()
    token = client.cookies["berth-csrf"].value
    answer = client.generic(
        "POST", f"{AUTH}/login", body, "application/json", headers={"X-CSRFToken": token}
    )
    problem_of(answer, 400, code)


def test_a_form_with_its_token_inside_is_refused() -> None:
    """The guard against forgery has read the body by then."""
    client = a_browser()
    form = {"csrfmiddlewaretoken": client.cookies["berth-csrf"].value, "username": "x"}
    problem_of(client.post(f"{AUTH}/login", form), 415, "media_type_unsupported")


def test_a_body_is_not_larger_than_a_passkey() -> None:
    client = a_browser()
    body = {"username": "x", "password": "x" * BODY_MAX}
    problem_of(send(client, f"{AUTH}/login", body), 413, "body_too_large")


@pytest.mark.parametrize("part", ["id", "rawId", "type", "response"])
def test_half_a_passkey_opens_nothing(part: str) -> None:
    client = a_browser()
    options = json_of(client.get(f"{AUTH}/webauthn/login"))["data"]["request_options"]
    proof = Passkey().get(options["publicKey"])
    del proof[part]
    answer = send(client, f"{AUTH}/webauthn/login", {"credential": proof})
    found = problem_of(answer, 400, "invalid_input")
    assert [(fault["pointer"], fault["code"]) for fault in found["errors"]] == [
        ("/credential", "not_a_passkey")
    ]


def test_numbers_in_place_of_bytes_reserve_no_memory() -> None:
    client = a_browser()
    options = json_of(client.get(f"{AUTH}/webauthn/login"))["data"]["request_options"]
    for change in ({"rawId": 2**60, "id": 2**60}, {"response": {"clientDataJSON": 2**60}}):
        answer = send(
            client,
            f"{AUTH}/webauthn/login",
            {"credential": {**Passkey().get(options["publicKey"]), **change}},
        )
        problem_of(answer, 400, "invalid_input")
    said = json.dumps({"type": "webauthn.get", "challenge": 2**60, "origin": "https://testserver"})
    proof = Passkey().get(options["publicKey"])
    proof["response"]["clientDataJSON"] = base64(said.encode())
    problem_of(send(client, f"{AUTH}/webauthn/login", {"credential": proof}), 400, "invalid_input")


@pytest.mark.parametrize(
    "key",
    [
        {1: 2, 3: -7, -1: 1},
        {1: 2, 3: -7, -1: 1, -2: b"short", -3: b"short"},
        {1: 2, 3: -424242, -1: 1},
        {1: 3, 3: -257, -1: b"", -2: b""},
    ],
)
def test_a_key_that_can_check_no_signature_is_not_enrolled(key: dict[int, Any]) -> None:
    client, _ = a_signed_in_browser()
    confirm_password(client)
    options = json_of(client.get(f"{WEBAUTHN}?passwordless"))["data"]["creation_options"]
    passkey = Passkey()
    made = passkey.create(options["publicKey"], public_key=key)
    answer = send(client, WEBAUTHN, {"name": "laptop", "credential": made})
    problem_of(answer, 400, "invalid_input")
    json_of(client.get(f"{ACCOUNT}/authenticators"))


def test_passkeys_are_as_many_as_sign_in_reads() -> None:
    client, _ = a_signed_in_browser()
    confirm_password(client)

    def add(number: int) -> Any:
        options = json_of(client.get(f"{WEBAUTHN}?passwordless"))["data"]["creation_options"]
        body = {"name": f"key {number}", "credential": Passkey().create(options["publicKey"])}
        return send(client, WEBAUTHN, body)

    for number in range(PASSKEYS_MAX):
        json_of(add(number))
    found = problem_of(add(PASSKEYS_MAX), 409, "too_many_passkeys")
    assert found["params"] == {"limit": PASSKEYS_MAX}
    assert len(json_of(client.get(f"{ACCOUNT}/authenticators"))["data"]) == PASSKEYS_MAX + 1
