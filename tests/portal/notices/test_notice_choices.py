"""Which notices come by mail: all, until a person switches kinds of them off."""

from collections.abc import Iterator

import pytest

from portal.common.translations import LANGUAGES, load_messages
from portal.identity.models import Notice, User
from portal.notices.inbox import notify_people
from portal.notices.kinds import KIND_OF_NOTICE, NOTICE_KINDS
from portal.notices.mail import send_mails
from tests.builders.people import a_user
from tests.portal.identity.mail_server import site_with_mail
from tests.rest import API, browser, json_of, problem_of
from tests.smtp_sink import SmtpSink

CHOICE = f"{API}/me/notices"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def sink() -> Iterator[SmtpSink]:
    """A site with a mail server."""
    with site_with_mail() as found:
        yield found


def choose(user: User, *off: str) -> dict[str, bool]:
    answer = browser(user).put(CHOICE, {"mails_off": off}, format="json")
    return {each["kind"]: each["by_mail"] for each in json_of(answer, 200)["kinds"]}


def test_a_kind_that_was_switched_off_stays_in_the_inbox_alone(sink: SmtpSink) -> None:
    one, two = a_user(), a_user()
    for user in (one, two):
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org")
    assert choose(one, "reservations") == {kind: kind != "reservations" for kind in NOTICE_KINDS}

    params: dict[str, int | str] = {
        "reservation": "course",
        "pool": "training",
        "reserved": 4,
        "missing": 1,
    }
    for user in (one, two):
        notify_people(users=[user.pk], code="reservation_short", params=params)
    send_mails("UTC")

    assert [mail["To"] for mail in sink.mails] == [f"{two.username}@example.org"]
    assert Notice.objects.filter(user=one).count() == 1
    assert all(choose(one).values())


def test_the_choice_says_where_mails_go(sink: SmtpSink) -> None:
    user = a_user()
    User.objects.filter(pk=user.pk).update(email="li@example.org")
    found = json_of(browser(user).get(CHOICE), 200)
    assert (found["email"], found["sends_mail"]) == ("li@example.org", True)


def test_an_unknown_kind_is_refused() -> None:
    answer = browser(a_user()).put(CHOICE, {"mails_off": ["weather"]}, format="json")
    problem = problem_of(answer, 400, "invalid_input")
    assert problem["errors"][0]["pointer"] == "/mails_off/0"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mail_is_of_a_kind_but_those_that_somebody_waits_for(language: str) -> None:
    subjects = {name.split(".")[1] for name in load_messages(language) if name.startswith("mail.")}
    assert subjects - set(KIND_OF_NOTICE) == {"password_reset"}
