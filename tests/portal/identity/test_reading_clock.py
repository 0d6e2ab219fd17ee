"""The clock of a person follows the account, and is used in mails."""

from datetime import UTC, datetime

import pytest

from portal.identity.models import OutgoingMail, User
from portal.identity.reading_clock import write_moment
from portal.notices.inbox import notify_people
from portal.notices.mail import send_mails
from tests.builders.people import a_user
from tests.portal.identity.mail_server import site_with_mail
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NIGHT = datetime(2026, 11, 25, 16, 5, tzinfo=UTC)


def test_it_is_chosen_once_and_the_same_in_every_browser() -> None:
    user = a_user()
    before = json_of(browser(user).get(f"{API}/me"))
    assert (before["time_zone"], before["hours"]) == ("", "")

    chosen = {"time_zone": "Europe/Berlin", "hours": "h12"}
    answer = browser(user).put(f"{API}/me/clock", chosen, format="json")

    assert answer.status_code == 204
    assert json_of(browser(user).get(f"{API}/me")).items() >= chosen.items()


@pytest.mark.parametrize(
    ("given", "status", "pointer"),
    [
        ({"time_zone": "Europe/Atlantis", "hours": "h23"}, 422, "/time_zone"),
        ({"time_zone": "localtime", "hours": "h23"}, 422, "/time_zone"),
        ({"time_zone": "../etc/passwd", "hours": "h23"}, 422, "/time_zone"),
        ({"time_zone": "", "hours": "h24"}, 400, "/hours"),
        ({"time_zone": ""}, 400, "/hours"),
    ],
)
def test_what_is_no_clock_is_refused(given: dict[str, str], status: int, pointer: str) -> None:
    answer = browser(a_user()).put(f"{API}/me/clock", given, format="json")
    code = "invalid_input" if status == 400 else "no_such_time_zone"
    assert problem_of(answer, status, code)["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("zone", "hours", "language", "written"),
    [
        ("Asia/Shanghai", "h23", "en", "26 Nov 2026, 00:05 (Asia/Shanghai)"),
        ("Asia/Shanghai", "h12", "en", "26 Nov 2026, 12:05 AM (Asia/Shanghai)"),
        ("Asia/Shanghai", "h12", "zh-CN", "2026年11月26日 上午12:05（Asia/Shanghai）"),
        ("UTC", "h12", "zh-CN", "2026年11月25日 下午4:05（UTC）"),
        ("UTC", "", "zh-CN", "2026年11月25日 16:05（UTC）"),
    ],
)
def test_times_are_written_as_the_readers_clock_shows_them(
    zone: str, hours: str, language: str, written: str
) -> None:
    assert write_moment(User(time_zone=zone, hours=hours), NIGHT, language, "UTC") == written


def test_a_mail_says_by_the_clock_of_its_reader_when_it_was_written_and_until_when() -> None:
    user = a_user()
    User.objects.filter(pk=user.pk).update(
        email="li@example.org", time_zone="Asia/Shanghai", hours="h12"
    )
    params: dict[str, int | str] = {"id": "1", "notebook": "n", "idle_min": 5, "in_min": 20}
    with site_with_mail() as sink:
        notify_people(users=[user.pk], code="idle_warned_stop", params=params)
        OutgoingMail.objects.update(created_at=NIGHT)
        send_mails("UTC")

    text = sink.mails[0].get_content()
    assert "stopped (on 26 Nov 2026, 12:25 AM (Asia/Shanghai))" in text
    assert text.rstrip().endswith("Written on 26 Nov 2026, 12:05 AM (Asia/Shanghai).")
