import pytest

from portal.audit.models import AuditEvent
from portal.common.actions import Action
from portal.identity import ssh_keys
from portal.identity.models import SshKey
from tests.builders.people import a_group, a_member, a_user
from tests.rest import browser, pipeline
from tests.ssh_keys import a_key

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_key_is_added_listed_and_deleted() -> None:
    user = a_member(a_group())
    client = browser(user)
    line, fingerprint = a_key()
    added = client.post("/api/v1/ssh-keys", {"name": "laptop", "public_key": line}, format="json")
    assert added.status_code == 201, added.content
    assert (added.json()["fingerprint"], added.json()["kind"]) == (fingerprint, "ssh-ed25519")
    (listed,) = client.get("/api/v1/ssh-keys").json()["results"]
    assert listed["name"] == "laptop"
    assert ssh_keys.authenticate_key(fingerprint) == user
    assert client.delete(f"/api/v1/ssh-keys/{listed['id']}").status_code == 204
    assert ssh_keys.authenticate_key(fingerprint) is None
    actions = AuditEvent.objects.filter(object_type="ssh_key").order_by("id")
    assert [item.action for item in actions] == ["ssh_key.create", "ssh_key.delete"]


def test_every_usual_kind_is_taken() -> None:
    client = browser(a_user())
    for algorithm, options in (
        ("ssh-ed25519", {}),
        ("ecdsa-sha2-nistp256", {}),
        ("ssh-rsa", {"key_size": 2048}),
    ):
        line, fingerprint = a_key(algorithm, **options)
        body = {"name": algorithm, "public_key": line}
        added = client.post("/api/v1/ssh-keys", body, format="json")
        assert added.json()["fingerprint"] == fingerprint


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "ssh_key_private"),
        ("hello", "ssh_key_unreadable"),
        ("ssh-ed25519", "ssh_key_unreadable"),
        ("ssh-ed25519 AAAA", "ssh_key_unreadable"),
        ("ssh-ed25519 \u00e4\u00f6", "ssh_key_unreadable"),
        ("ssh-dss AAAAB3NzaC1kc3MAAACBAPR", "ssh_key_kind"),
        ('command="sh" ssh-ed25519 AAAA', "ssh_key_kind"),
    ],
)
def test_what_is_no_key_is_refused_with_its_reason(text: str, code: str) -> None:
    body = {"name": "x", "public_key": text}
    refused = browser(a_user()).post("/api/v1/ssh-keys", body, format="json")
    assert (refused.status_code, refused.json()["code"]) == (422, code)


def test_refusal_of_a_kind_names_the_kinds_in_words() -> None:
    body = {"name": "x", "public_key": "ssh-dss AAAAB3NzaC1kc3MAAACBAPR"}
    detail = browser(a_user()).post("/api/v1/ssh-keys", body, format="json").json()["detail"]
    assert "ssh-ed25519, ssh-rsa" in detail
    assert "[" not in detail


def test_short_rsa_key_is_refused() -> None:
    line, _ = a_key("ssh-rsa", key_size=1024)
    body = {"name": "x", "public_key": line}
    refused = browser(a_user()).post("/api/v1/ssh-keys", body, format="json")
    assert refused.json()["code"] == "ssh_key_short"


def test_key_belongs_to_one_user_who_alone_sees_it() -> None:
    owner, other = browser(a_user()), browser(a_user())
    body = {"name": "x", "public_key": a_key()[0]}
    key_id = owner.post("/api/v1/ssh-keys", body, format="json").json()["id"]
    assert other.post("/api/v1/ssh-keys", body, format="json").status_code == 409
    assert other.get("/api/v1/ssh-keys").json()["results"] == []
    assert other.delete(f"/api/v1/ssh-keys/{key_id}").status_code == 404
    assert SshKey.objects.count() == 1


@pytest.mark.parametrize("missing", ssh_keys.KEYS_OPEN)
def test_token_that_opens_less_than_a_key_cannot_add_one(missing: Action) -> None:
    client = pipeline(a_user(), *(action for action in ssh_keys.KEYS_OPEN if action != missing))
    body = {"name": "x", "public_key": a_key()[0]}
    refused = client.post("/api/v1/ssh-keys", body, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


def test_keys_are_counted() -> None:
    user = a_user()
    most = ssh_keys.KEYS_PER_USER_MAX
    SshKey.objects.bulk_create(
        SshKey(user=user, name="x", kind="ssh-ed25519", fingerprint=f"SHA256:{number}")
        for number in range(most - 1)
    )
    client = browser(user)
    answers = [
        client.post("/api/v1/ssh-keys", {"name": "x", "public_key": a_key()[0]}, format="json")
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 422]
    assert answers[1].json()["code"] == "too_many_ssh_keys"


def test_key_of_a_disabled_user_opens_nothing() -> None:
    user = a_user()
    line, fingerprint = a_key()
    browser(user).post("/api/v1/ssh-keys", {"name": "x", "public_key": line}, format="json")
    user.is_active = False
    user.save()
    assert ssh_keys.authenticate_key(fingerprint) is None
