"""Tokens: their text, their life, and who may use them."""

from datetime import timedelta

import pytest

from portal.common.clock import freeze, now
from portal.common.ids import new_id
from portal.identity.models import ApiToken
from portal.identity.services import (
    TOKENS_PER_USER_MAX,
    authenticate_token,
    digest_token,
    generate_token,
)
from tests.builders.people import a_group, a_member, a_token, a_user
from tests.rest import API, json_of, pipeline, problem_of, stranger

A_SCOPE = "me.view"


def test_digest_tells_our_tokens_from_everything_else() -> None:
    token = generate_token()
    assert digest_token(token)
    assert token.startswith("berth_")
    last = "0" if token[-1] != "0" else "1"
    for wrong in ("", "berth_", token[:-1] + last, token + "0", token.upper(), "x" * 10_000):
        assert digest_token(wrong) is None


@pytest.mark.django_db
class TestLife:
    """From issue to end."""

    def test_the_database_never_sees_the_secret(self) -> None:
        secret = a_token(a_user(), A_SCOPE)
        [row] = ApiToken.objects.values()
        assert all(secret not in str(value) for value in row.values())

    def test_expiry_revocation_and_a_disabled_user_end_it_at_once(self) -> None:
        expired, revoked, disabled = (a_token(a_user(), A_SCOPE) for _ in range(3))
        with freeze(now() + timedelta(days=1, seconds=1)):
            assert authenticate_token(expired) is None
        assert authenticate_token(expired)
        row = authenticate_token(revoked)
        assert row
        ApiToken.objects.filter(pk=row.pk).update(revoked_at=now())
        assert authenticate_token(revoked) is None
        row = authenticate_token(disabled)
        assert row
        row.user.is_active = False
        row.user.save()
        assert authenticate_token(disabled) is None

    def test_last_use_is_noted_at_most_once_a_minute(self) -> None:
        secret, start = a_token(a_user(), A_SCOPE), now()
        noted = []
        for seconds in (0, 59, 61):
            with freeze(start + timedelta(seconds=seconds)):
                authenticate_token(secret)
            noted.append(ApiToken.objects.get().last_used_at)
        assert noted == [start, start, start + timedelta(seconds=61)]


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
class TestRequests:
    """Tokens in requests."""

    @pytest.mark.parametrize("secret", ["", "berth_x", "\u6cca", "a b", "x" * 5000])
    def test_what_is_not_a_token_is_refused(self, secret: str) -> None:
        header = f"Bearer {secret}".encode().decode("latin-1")
        answer = stranger().get(f"{API}/me", HTTP_AUTHORIZATION=header)
        problem_of(answer, 401, "credentials_refused")

    def test_rights_are_read_anew_for_every_request(self) -> None:
        group = a_group()
        user = a_member(group)
        client = pipeline(user)
        assert json_of(client.get(f"{API}/groups"))["results"]
        user.memberships.all().delete()
        assert json_of(client.get(f"{API}/groups"))["results"] == []

    def test_valid_tokens_of_one_user_are_counted(self) -> None:
        user = a_user()
        client = pipeline(user)
        wish = {"name": "n", "scopes": [A_SCOPE], "expires_in_days": 1}
        for _ in range(TOKENS_PER_USER_MAX - 1):
            a_token(user, A_SCOPE)
        problem_of(client.post(f"{API}/tokens", wish, "json"), 422, "too_many_tokens")


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
def test_a_token_for_looking_changes_nothing_of_its_person() -> None:
    user = a_user()
    looks, edits = pipeline(user, "me.view"), pipeline(user, "me.view", "me.edit")
    writes: list[tuple[str, str, dict[str, object]]] = [
        ("put", "me/clock", {"time_zone": "Asia/Shanghai", "hours": "h23"}),
        ("put", "me/notices", {"mails_off": ["alarms"]}),
        ("post", "inbox", {"until": str(new_id())}),
    ]
    for method, path, body in writes:
        refused = getattr(looks, method)(f"{API}/{path}", body, format="json")
        found = problem_of(refused, 403, "scope_missing")
        assert found["params"] == {"action": "me.edit"}
    user.refresh_from_db()
    assert (user.time_zone, user.mails_turned) == ("", [])
    for method, path, body in writes:
        taken = getattr(edits, method)(f"{API}/{path}", body, format="json")
        assert taken.status_code in (200, 204)


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
def test_a_token_that_reads_volumes_makes_no_home() -> None:
    user = a_user()
    problem_of(pipeline(user, "volume.read").post(f"{API}/volumes/home"), 403, "scope_missing")
    json_of(pipeline(user, "volume.write").post(f"{API}/volumes/home"))


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
@pytest.mark.parametrize("until", [0, 1, True, False, "0", "1", [], {}, 2**100])
def test_only_an_id_marks_notices_as_read(until: object) -> None:
    answer = pipeline(a_user(), "me.edit").post(f"{API}/inbox", {"until": until}, format="json")
    found = problem_of(answer, 400, "invalid_input")
    assert [fault["code"] for fault in found["errors"]] == ["not_an_id"]
