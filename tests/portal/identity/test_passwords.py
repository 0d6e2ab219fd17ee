"""Which passwords people may set, and that they are taken as they are."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from portal.identity.models import User
from portal.identity.password_words import OWN_WORDS
from tests.builders.people import PASSWORD, a_user
from tests.portal.identity.browsers import (
    ACCOUNT,
    AUTH,
    a_browser,
    a_signed_in_browser,
    send,
    sign_in,
)
from tests.rest import json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
LEAST, LONGEST = 12, 1024


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery staple",
        "7" * LEAST + "305198",
        "ßübergroß-Straße",
        "我的密码是一首很长的诗歌呀",
        "gpu cluster on a rainy day",
        "!" * LEAST,
        "x y " * (LONGEST // 4),
    ],
)
def test_a_password_may_be_of_anything(password: str) -> None:
    client, user = a_signed_in_browser()
    change = {"current_password": PASSWORD, "new_password": password}
    json_of(send(client, f"{ACCOUNT}/password/change", change))
    json_of(sign_in(a_browser(), user.username, password))
    assert sign_in(a_browser(), user.username, f"{password[:-1]}#").status_code == 400


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("x" * (LEAST - 1), "password_too_short"),
        ("password1234", "password_too_common"),
        ("zhang.min.2026", "password_too_similar"),
        ("Min Zhang 2026!", "password_too_similar"),
        ("zmin@example.org", "password_too_similar"),
        ("Berth-2026-11-29", "password_of_site"),
        ("berthberthberth", "password_of_site"),
        ("GPU.Cluster.2026", "password_of_site"),
        ("泊位泊位泊位泊位泊位泊位", "password_of_site"),
        *((f"{word}!2026-11-29-0123456789", "password_of_site") for word in OWN_WORDS),
    ],
)
def test_what_anybody_would_try_first_is_refused(password: str, code: str) -> None:
    person = User(username="zhang.min", display_name="Min Zhang", email="zmin@example.org")
    with pytest.raises(ValidationError) as refused:
        validate_password(password, person)
    assert code in {fault.code for fault in refused.value.error_list}


def test_a_password_is_taken_to_the_last_space() -> None:
    client, user = a_signed_in_browser()
    spaced = "  two spaces around  "
    change = {"current_password": PASSWORD, "new_password": spaced}
    json_of(send(client, f"{ACCOUNT}/password/change", change))
    json_of(send(client, f"{AUTH}/reauthenticate", {"password": spaced}))
    for near in (spaced.strip(), spaced.rstrip(), f"{spaced} ", spaced.upper()):
        assert sign_in(a_browser(), user.username, near).status_code == 400
    json_of(sign_in(a_browser(), user.username, spaced))


def test_the_name_is_that_of_a_person_the_password_is_theirs_alone() -> None:
    one, other = a_user(can_sign_in=True), a_user(can_sign_in=True)
    assert one.password != other.password
    assert PASSWORD not in one.password
