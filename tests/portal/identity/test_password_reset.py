"""A forgotten password: one mail, one use, and nothing that tells whether there is an account."""

import logging
import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client, override_settings

from portal.audit.models import AuditEvent
from portal.identity.models import User
from tests.builders.people import PASSWORD, a_user
from tests.portal.identity.browsers import AUTH, a_browser, send, sign_in
from tests.portal.identity.mail_server import site_with_mail
from tests.rest import API, json_of
from tests.site_config import override_site_config
from tests.smtp_sink import SmtpSink
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

REQUEST, RESET = f"{AUTH}/password/request", f"{AUTH}/password/reset"
NEW = "quite-another-long-one"
ADDRESS = "li.wei@example.org"


@pytest.fixture(autouse=True)
def no_attempts(db: None) -> None:
    """Forget the attempts of other tests."""
    cache.clear()


@pytest.fixture
def sink() -> Iterator[SmtpSink]:
    """A site with a mail server."""
    with site_with_mail() as found:
        yield found


def someone(**columns: object) -> User:
    user = a_user("li.wei", can_sign_in=True)
    User.objects.filter(pk=user.pk).update(**{"email": ADDRESS, **columns})
    user.refresh_from_db()
    return user


def ask(client: Client, address: str = ADDRESS, language: str = "en") -> object:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    return send(client, REQUEST, {"email": address})


def key_from(sink: SmtpSink, number: int = 1) -> str:
    wait_until(lambda: len(sink.mails) == number)
    found = re.search(r"http\S+/reset-password#(\S+)", sink.mails[-1].get_content())
    assert found is not None
    return found[1]


def test_the_mail_sets_a_new_password_and_ends_every_session(sink: SmtpSink) -> None:
    user = someone()
    signed_in = a_browser()
    json_of(sign_in(signed_in, user.username))
    client = a_browser()

    json_of(ask(client, " LI.WEI@example.org "))
    key = key_from(sink)
    answer = send(client, RESET, {"key": key, "password": NEW})

    assert answer.status_code in (200, 401)
    assert "errors" not in answer.json()
    assert sign_in(a_browser(), user.username, PASSWORD).status_code == 400
    json_of(sign_in(a_browser(), user.username, NEW))
    assert signed_in.get(f"{API}/me").status_code == 401
    acts = AuditEvent.objects.filter(action__startswith="password.").order_by("id")
    assert [(act.action, act.params) for act in acts] == [
        ("password.request", {"username": "li.wei"}),
        ("password.reset", {"username": "li.wei"}),
    ]
    assert key not in str([act.params for act in acts])


@pytest.mark.parametrize(
    ("language", "subject", "words"),
    [
        ("en", "Berth: reset your password", "within 1 h"),
        ("zh-CN", "Berth：重置密码", "1 小时内"),
    ],
)
def test_the_mail_speaks_the_language_of_the_page(
    sink: SmtpSink, language: str, subject: str, words: str
) -> None:
    someone()

    json_of(ask(a_browser(), language=language))

    key_from(sink)
    (mail,) = sink.mails
    assert (mail["Subject"], mail["To"]) == (subject, ADDRESS)
    assert words in mail.get_content()
    assert "li.wei" in mail.get_content()


def test_a_key_works_once_and_a_wrong_one_never(sink: SmtpSink) -> None:
    someone()
    client = a_browser()
    json_of(ask(client))
    key = key_from(sink)
    send(client, RESET, {"key": key, "password": NEW})

    for bad in (key, f"{key}x", "nonsense"):
        answer = json_of(send(client, RESET, {"key": bad, "password": f"{NEW}2"}), 400)
        assert answer["errors"][0]["code"] == "invalid_password_reset"
    json_of(sign_in(a_browser(), "li.wei", NEW))


def test_a_weak_password_is_refused_and_the_key_stays_good(sink: SmtpSink) -> None:
    someone()
    client = a_browser()
    json_of(ask(client))
    key = key_from(sink)

    answer = json_of(send(client, RESET, {"key": key, "password": "short"}), 400)
    assert answer["errors"][0]["code"] == "password_too_short"
    assert "errors" not in send(client, RESET, {"key": key, "password": NEW}).json()


def test_an_unknown_address_is_answered_alike_and_gets_no_mail(sink: SmtpSink) -> None:
    someone()
    known, unknown = ask(a_browser()), ask(a_browser(), "nobody@example.org")

    assert json_of(known) == json_of(unknown)
    key_from(sink)
    assert [mail["To"] for mail in sink.mails] == [ADDRESS]


@pytest.mark.parametrize("columns", [{"is_active": False}, {"kind": "robot"}, {"email": ""}])
def test_who_cannot_sign_in_gets_no_mail(sink: SmtpSink, columns: dict[str, object]) -> None:
    someone(**columns)
    other = a_user("other", can_sign_in=True)
    User.objects.filter(pk=other.pk).update(email="other@example.org")

    json_of(ask(a_browser()))
    json_of(ask(a_browser(), "other@example.org"))

    key_from(sink)
    assert [mail["To"] for mail in sink.mails] == ["other@example.org"]


def test_one_address_gets_few_mails(sink: SmtpSink) -> None:
    someone()
    client = a_browser()

    answers = [ask(client).status_code for _ in range(4)]  # type: ignore[attr-defined]

    assert answers == [200, 200, 200, 429]
    key_from(sink, number=3)


def test_a_second_factor_is_still_asked_for(sink: SmtpSink) -> None:
    """A mail box alone does not open an account with a second factor."""
    someone()
    client = a_browser()
    json_of(ask(client))
    send(client, RESET, {"key": key_from(sink), "password": NEW})

    assert client.get(f"{API}/me").status_code == 401


def test_without_a_mail_server_nothing_is_sent_and_the_page_has_no_link() -> None:
    someone()
    client = a_browser()

    json_of(ask(client))

    assert json_of(client.get(f"{API}/config"))["has_password_reset"] is False
    assert not AuditEvent.objects.filter(action="password.request").exists()


def test_a_mail_server_that_is_away_is_logged_without_the_address(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    someone()
    with (
        caplog.at_level(logging.ERROR),
        override_settings(
            EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend",
            EMAIL_HOST="127.0.0.1",
            EMAIL_PORT=1,
            EMAIL_USE_TLS=False,
        ),
        override_site_config(sends_mail=True),
    ):
        json_of(ask(a_browser()))
        said: list[str] = []

        def is_logged() -> bool:
            said.append(capsys.readouterr().out + caplog.text)
            return "mail.failed" in "".join(said)

        wait_until(is_logged)
    assert ADDRESS not in "".join(said)
    assert "reset-password#" not in "".join(said)
