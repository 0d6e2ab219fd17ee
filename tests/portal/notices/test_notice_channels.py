"""The channel of a person: a real receiver gets the notices that were chosen, and nobody else's."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.management import call_command

from portal.audit.models import AuditEvent
from portal.common import encryption
from portal.common.clock import freeze
from portal.identity.models import NoticeChannel, OutgoingNotice, User
from portal.notices.channels import WAITING_MAX
from portal.notices.delivery import deliver_notices
from portal.notices.inbox import notify_people
from portal.notices.kinds import NOTICE_KINDS, QUIET
from portal.outbound.delivery import MESSAGE_ATTEMPTS_MAX
from tests.builders.people import a_user
from tests.rest import API, browser, json_of, problem_of
from tests.webhook_receiver import Receiver, receiving

CHOICE, CHANNEL = f"{API}/me/notices", f"{API}/me/notices/channel"
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
SHORT: dict[str, int | str] = {
    "reservation": "course",
    "pool": "training",
    "reserved": 4,
    "missing": 1,
}

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def receiver(set_site: Callable[..., None]) -> Iterator[Receiver]:
    """A receiver on this machine, which people may reach."""
    set_site(personal_webhook_networks=(ip_network("127.0.0.0/8"),))
    with receiving() as found:
        yield found


def a_channel(user: User, url: str) -> dict[str, Any]:
    given = {"kind": "webhook", "address": url}
    issued: dict[str, Any] = json_of(browser(user).put(CHANNEL, given, format="json"), 200)
    return issued


def notify(*users: User, path: str = "/reservations") -> None:
    users_ids = [user.pk for user in users]
    notify_people(users=users_ids, code="reservation_short", params=SHORT, path=path)


def said(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(body) for _, body in receiver.received]


def test_notices_of_a_person_arrive_signed_and_in_the_language_that_is_read(
    receiver: Receiver,
) -> None:
    one, two = a_user(), a_user()
    User.objects.filter(pk=one.pk).update(language="zh-CN")
    issued = a_channel(one, receiver.url)
    assert issued["signing_secret"].startswith("whsec_")
    assert "top-secret" not in json.dumps(issued)

    notify(one, two)
    assert deliver_notices() == 1

    (message,) = said(receiver)
    assert (message["type"], message["about"], message["code"]) == (
        "notice",
        "reservations",
        "reservation_short",
    )
    assert "course" in message["text"]
    assert not message["text"].isascii()
    assert message["url"].endswith("/reservations")
    assert message["params"] == SHORT
    ((headers, _),) = receiver.received
    assert headers["webhook-id"] == message["id"]
    assert headers["webhook-signature"].startswith("v1,")
    shown = json_of(browser(one).get(CHOICE), 200)["channel"]
    assert (shown["host"], shown["failure"]) == ("127.0.0.1", "")
    assert shown["delivered_at"] is not None
    assert json_of(browser(two).get(CHOICE), 200)["channel"] is None


def test_kinds_that_were_switched_off_stay_out_of_the_channel(receiver: Receiver) -> None:
    user = a_user()
    a_channel(user, receiver.url)
    choice = {"mails_off": [], "channel_off": ["reservations"]}
    kinds = json_of(browser(user).put(CHOICE, choice, format="json"), 200)["kinds"]
    assert {each["kind"]: each["by_channel"] for each in kinds} == {
        kind: kind != "reservations" for kind in NOTICE_KINDS
    }

    notify(user)
    assert deliver_notices() == 0

    browser(user).put(CHOICE, {"mails_off": ["alarms"]}, format="json")
    assert NoticeChannel.objects.get().kinds_turned == sorted(QUIET | {"reservations"})
    browser(user).put(CHOICE, {"mails_off": [], "channel_off": []}, format="json")
    notify(user)
    assert deliver_notices() == 1


def test_a_channel_that_takes_nothing_is_tried_a_few_times_and_says_so(receiver: Receiver) -> None:
    user = a_user()
    a_channel(user, receiver.url)
    receiver.statuses = [503] * MESSAGE_ATTEMPTS_MAX
    with freeze(NOON):
        notify(user)
    for hour in range(MESSAGE_ATTEMPTS_MAX):
        with freeze(NOON + timedelta(hours=hour)):
            assert deliver_notices() == 0
    assert not OutgoingNotice.objects.exists()
    shown = json_of(browser(user).get(CHOICE), 200)["channel"]
    assert shown["failure"] == "status_503"
    assert shown["failed_at"] is not None


def test_a_channel_is_tried_replaced_and_removed_with_what_waits(receiver: Receiver) -> None:
    user = a_user()
    first = a_channel(user, receiver.url)
    assert browser(user).post(f"{CHANNEL}/test").status_code == 202
    assert deliver_notices() == 1
    (message,) = said(receiver)
    assert message["code"] == "channel_test"
    assert message["text"].startswith("Test message")

    second = a_channel(user, receiver.url)
    assert second["signing_secret"] != first["signing_secret"]
    assert second["delivered_at"] is None
    notify(user)
    assert browser(user).delete(CHANNEL).status_code == 204
    assert not OutgoingNotice.objects.exists()
    problem_of(browser(user).delete(CHANNEL), 404, "not_found")
    problem_of(browser(user).post(f"{CHANNEL}/test"), 404, "not_found")
    actions = AuditEvent.objects.filter(object_type="notice_channel").order_by("id")
    assert list(actions.values_list("action", flat=True)) == [
        "notice_channel.set",
        "notice_channel.set",
        "notice_channel.remove",
    ]
    assert not any("top-secret" in str(event.params) for event in actions)


def test_what_waits_for_one_channel_has_an_end(receiver: Receiver) -> None:
    user = a_user()
    a_channel(user, receiver.url)
    for _ in range(WAITING_MAX + 1):
        notify(user)
    assert OutgoingNotice.objects.count() == WAITING_MAX
    problem_of(browser(user).post(f"{CHANNEL}/test"), 409, "notice_channel_busy")


@pytest.mark.parametrize(
    ("kind", "address", "code"),
    [
        ("webhook", "https://10.1.2.3/hook", "channel_forbidden"),
        ("webhook", "https://169.254.169.254/latest/meta-data", "channel_forbidden"),
        ("webhook", "http://example.org/hook", "channel_address"),
        ("webhook", "https://[nonsense]/hook", "channel_address"),
        ("webhook", "https://a..b/hook", "channel_address"),
        ("webhook", "https://%/hook", "channel_address"),
        ("webhook", f"https://{'x' * 64}.org/hook", "channel_address"),
        ("slack", "https://evil.example/services/T1/B1/x", "channel_address"),
    ],
)
def test_networks_of_the_site_are_not_reached_by_people(
    set_site: Callable[..., None], kind: str, address: str, code: str
) -> None:
    """What the administrator's webhooks may reach, those of others may not."""
    set_site(webhook_networks=(ip_network("10.0.0.0/8"),))
    given = {"kind": kind, "address": address}
    problem_of(browser(a_user()).put(CHANNEL, given, format="json"), 422, code)
    assert not NoticeChannel.objects.exists()


def test_a_site_without_channels_of_people_takes_none_and_sends_nothing(
    receiver: Receiver, set_site: Callable[..., None]
) -> None:
    user = a_user()
    a_channel(user, receiver.url)
    notify(user)
    set_site(personal_channels=False)
    assert deliver_notices() == 0
    notify(user)
    assert OutgoingNotice.objects.count() == 1
    given = {"kind": "webhook", "address": receiver.url}
    answer = browser(user).put(CHANNEL, given, format="json")
    problem_of(answer, 403, "notice_channels_off")
    problem_of(browser(user).post(f"{CHANNEL}/test"), 403, "notice_channels_off")
    assert json_of(browser(user).get(CHOICE), 200)["allows_channels"] is False
    assert browser(user).delete(CHANNEL).status_code == 204


def test_people_who_have_left_get_nothing(receiver: Receiver) -> None:
    user = a_user()
    a_channel(user, receiver.url)
    notify(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert deliver_notices() == 0
    assert not receiver.received


def test_the_secrets_of_channels_get_a_new_key(receiver: Receiver) -> None:
    user = a_user()
    issued = a_channel(user, receiver.url)
    before = NoticeChannel.objects.get().encrypted_address
    call_command("encrypt_again")
    row = NoticeChannel.objects.get()
    assert row.encrypted_address != before
    assert encryption.decrypt(row.encrypted_address) == receiver.url
    assert encryption.decrypt(row.encrypted_secret) == issued["signing_secret"]
