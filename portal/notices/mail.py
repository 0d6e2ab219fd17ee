"""Mails to people, in their language: stored with what they tell of, and sent by a task.

A mail that is not wanted any more by the time is sent all the same: it tells what has happened. Nothing
is stored for people without an address, or where the site has no mail server.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F

from portal.common.clock import now
from portal.common.notifications import start_task
from portal.common.site_config import get_site_config
from portal.common.translations import LANGUAGES, translate
from portal.identity.models import OutgoingMail, User, UserKind
from portal.identity.reading_clock import write_moment
from portal.notices.kinds import KIND_OF_NOTICE, turn

MAILS_AT_ONCE: Final = 100
"""Mails that one run of the task sends."""
ATTEMPTS_MAX: Final = 6
"""How often a mail is tried; then it is dropped, about two hours after the first time."""
_PAUSE: Final = timedelta(minutes=4)
"""After the first failed attempt; each further one doubles it."""
SEND_TASK: Final = "notices.send_mails"

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PersonalMessage:
    """What one person is notified of.

    `params` fill the sentences `mail.<code>.subject` and `mail.<code>.body`, besides `name` and `portal`.
    """

    user: UUID
    code: str
    params: Mapping[str, object]
    path: str = ""
    """Of the page that it is about."""
    leaves_inbox: bool = True
    """Whether it goes by mail and to the channel of the person, too."""


def queue_mails(messages: Sequence[PersonalMessage]) -> None:
    """Store these mails, in the caller's transaction; they are sent after its commit.

    Kinds that a person has switched off are left out.
    """
    if not messages or not get_site_config().sends_mail:
        return
    users = {message.user for message in messages}
    people = User.objects.filter(pk__in=users, kind=UserKind.PERSON, is_active=True)
    reached = dict(people.exclude(email="").values_list("pk", "mails_turned"))
    rows = [
        OutgoingMail(user_id=message.user, code=message.code, params=dict(message.params))
        for message in messages
        if message.user in reached
        and KIND_OF_NOTICE.get(message.code) not in turn(reached[message.user])
    ]
    if OutgoingMail.objects.bulk_create(rows):
        start_task(SEND_TASK)


def choose_mails(*, user_id: UUID, off: Collection[str]) -> None:
    """Keep which kinds of notices a person wants no mail of."""
    User.objects.filter(pk=user_id).update(mails_turned=sorted(turn(off)))


def send_mails(site_zone: str) -> int:
    """Send what is due; return how many mails the server has taken.

    Readers without a time zone of their own read times in `site_zone`.

    Each is claimed before it is sent, so two tasks at once send nothing twice; one that ends between
    the server's answer and the removal sends it again.
    """
    sent = 0
    for mail in _claim():
        if _send(mail, site_zone):
            mail.delete()
            sent += 1
        elif mail.attempts >= ATTEMPTS_MAX:
            logger.warning("mail.dropped", code=mail.code, user=str(mail.user_id))
            mail.delete()
    return sent


@transaction.atomic
def _claim() -> list[OutgoingMail]:
    """Take due mails: if they are not sent, they are due again after a pause."""
    due = OutgoingMail.objects.filter(due_at__lte=now()).order_by("id")
    found = list(due.select_for_update(skip_locked=True)[:MAILS_AT_ONCE])
    for mail in found:
        due_at = now() + _PAUSE * 2**mail.attempts
        OutgoingMail.objects.filter(pk=mail.pk).update(attempts=F("attempts") + 1, due_at=due_at)
        mail.attempts += 1
    return found


def _moments(mail: OutgoingMail, language: str, site_zone: str) -> Mapping[str, str]:
    """Return when it was written, and when `in_min` of its minutes are over, by the reader's clock."""
    until = mail.created_at + timedelta(minutes=int(mail.params.get("in_min", 0)))
    return {
        "written_at": write_moment(mail.user, mail.created_at, language, site_zone),
        "due_at": write_moment(mail.user, until, language, site_zone),
    }


def _send(mail: OutgoingMail, site_zone: str) -> bool:
    user = mail.user
    language = user.language or LANGUAGES[0]
    params = {
        "name": user.display_name or user.username,
        "portal": get_site_config().portal_url,
        **_moments(mail, language, site_zone),
        **mail.params,
    }
    subject = translate(language, f"mail.{mail.code}.subject", params)
    message = EmailMessage(
        " ".join(subject.split()),
        translate(language, f"mail.{mail.code}.body", params)
        + translate(language, "letter.written", params),
        to=[user.email],
    )
    try:
        message.send()
    except OSError as error:  # also of the protocol
        logger.warning("mail.failed", code=mail.code, error=type(error).__name__)
        return False
    return True
