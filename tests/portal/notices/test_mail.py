"""Mails about idle notebooks and requests: to whom they go, in which language, and when one is lost."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import override_settings

from portal.common.clock import freeze, now
from portal.identity.models import OutgoingMail, User
from portal.notices.inbox import notify_people
from portal.notices.mail import ATTEMPTS_MAX, send_mails
from portal.quotas.models import MemberLimit
from tests.builders.people import a_group, a_member, a_user
from tests.portal.identity.browsers import a_browser, sign_in
from tests.portal.identity.mail_server import site_with_mail
from tests.portal.workloads.idle.test_idle import a_notebook
from tests.rest import API, browser, json_of
from tests.serving import silent_port
from tests.site_config import override_site_config
from tests.smtp_sink import SmtpSink

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def sink() -> Iterator[SmtpSink]:
    """A site with a mail server."""
    with site_with_mail() as found:
        yield found


def reachable(user: User, language: str = "") -> User:
    """Give a person an address and a language."""
    User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org", language=language)
    user.refresh_from_db()
    return user


@pytest.mark.parametrize(
    ("language", "subject", "words"),
    [
        ("", "will release its GPUs", "In 1 min it releases"),
        ("zh-CN", "即将释放加速卡", "1 分钟后它将释放加速卡"),
    ],
)
def test_the_owner_of_an_idle_notebook_is_warned_by_mail(
    sink: SmtpSink, language: str, subject: str, words: str
) -> None:
    notebook = a_notebook()
    owner = reachable(notebook.scene.owner, language)
    notebook.pass_s(500)
    notebook.pass_s(45)

    with notebook.at():
        assert send_mails("UTC") == 1
        assert send_mails("UTC") == 0
    (mail,) = sink.mails
    assert mail["To"] == owner.email
    assert subject in mail["Subject"]
    assert notebook.work.name in mail["Subject"]
    assert words in mail.get_content()
    assert f"/notebooks/{notebook.work.pk}" in mail.get_content()


def test_a_request_goes_to_who_decides_and_its_decision_to_who_asked(sink: SmtpSink) -> None:
    faculty = a_group()
    group = a_group(parent=faculty)
    member = reachable(a_member(group), "zh-CN")
    head = reachable(a_member(group, "group_admin"))
    reachable(a_member(faculty, "group_admin"))
    reachable(a_user(role="platform_admin"))
    MemberLimit.objects.create(group=group, user=member, running_max=1)
    asked = {"kind": "member_limit", "group": str(group.pk), "limits": {"running_max": 2}}

    made = json_of(browser(member).post(f"{API}/approvals", asked, format="json"), 201)
    send_mails("UTC")
    (mail,) = sink.mails
    assert mail["To"] == head.email
    assert member.display_name in mail["Subject"]
    assert "a higher limit of a member" in mail["Subject"]

    path = f"{API}/approvals/{made['id']}/approve"
    json_of(browser(head).post(path, {"comment": "until May"}, format="json"))
    send_mails("UTC")
    (_, mail) = sink.mails
    assert mail["To"] == member.email
    assert mail["Subject"].strip() == "Berth：您的申请已批准（提高成员限额）"
    assert "until May" in mail.get_content()


def test_without_a_group_admin_the_platform_is_asked_and_no_mail_tells_of_ones_own_act(
    sink: SmtpSink,
) -> None:
    group = a_group()
    head = reachable(a_member(group, "group_admin"))
    platform = reachable(a_user(role="platform_admin"))
    MemberLimit.objects.create(group=group, user=head, running_max=1)
    asked = {"kind": "member_limit", "group": str(group.pk), "limits": {"running_max": 2}}

    made = json_of(browser(head).post(f"{API}/approvals", asked, format="json"), 201)
    json_of(browser(head).post(f"{API}/approvals/{made['id']}/withdraw", {}, format="json"))
    send_mails("UTC")

    assert [mail["To"] for mail in sink.mails] == [platform.email]


def test_nothing_is_stored_for_people_or_sites_without_mail(sink: SmtpSink) -> None:
    reached, unreached = reachable(a_user()), a_user()
    gone = reachable(a_user())
    User.objects.filter(pk=gone.pk).update(is_active=False)
    everybody = [reached.pk, unreached.pk, gone.pk]

    notify_people(users=everybody, code="request_waits", params={})
    assert [mail.user_id for mail in OutgoingMail.objects.all()] == [reached.pk]
    OutgoingMail.objects.all().delete()
    with override_site_config(sends_mail=False):
        notify_people(users=everybody, code="request_waits", params={})
    assert not OutgoingMail.objects.exists()


def test_a_mail_outlasts_its_server_and_is_dropped_in_the_end(sink: SmtpSink) -> None:
    user = reachable(a_user())
    notify_people(users=[user.pk], code="request_waits", params={})
    with silent_port() as port, override_settings(EMAIL_PORT=port):
        assert send_mails("UTC") == 0
    assert send_mails("UTC") == 0  # not before its pause is over
    with freeze(now() + timedelta(minutes=5)):
        assert send_mails("UTC") == 1

    notify_people(users=[user.pk], code="request_waits", params={})
    with silent_port() as port, override_settings(EMAIL_PORT=port):
        for day in range(ATTEMPTS_MAX):
            with freeze(now() + timedelta(days=day)):
                send_mails("UTC")
    assert not OutgoingMail.objects.exists()
    assert len(sink.mails) == 1


def test_the_language_of_mails_is_that_of_the_last_sign_in() -> None:
    cache.clear()
    user = a_user(can_sign_in=True)
    client = a_browser()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-CN"
    json_of(sign_in(client, user.username))
    user.refresh_from_db()
    assert user.language == "zh-CN"
