"""Notices to people: stored in their inbox on the page, and sent by mail where the site has a server.

Each person chooses which kinds come by which of these ways.

A notice is a code with parameters, so that it is read in the language that its reader has then. Its
sentences are those of the mail: the subject is the line in the inbox.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from portal.common.clock import now
from portal.common.notifications import invalidate_topics
from portal.common.site_config import get_site_config
from portal.common.translations import translate
from portal.identity.models import Notice, OutgoingNotice, User, UserKind
from portal.notices.channels import queue_for_channels
from portal.notices.kinds import KIND_OF_NOTICE, turn
from portal.notices.mail import PersonalMessage, queue_mails

KEPT: Final = timedelta(days=30)
"""How long a notice stays in an inbox."""
SHOWN_MAX: Final = 100
"""Notices that an inbox shows; the newest."""


def notify_people(
    *, users: Collection[UUID], code: str, params: Mapping[str, object], path: str = ""
) -> None:
    """Notify these people of the same, in the caller's transaction; see `PersonalMessage`."""
    send_notices([PersonalMessage(user, code, params, path) for user in users])


def send_notices(messages: Sequence[PersonalMessage]) -> None:
    """Put each message into the inbox of its person, and queue it for mail and channel, in the caller's transaction.

    People who have left and robots get none. It takes a fixed number of statements.
    """
    wanted = {message.user for message in messages}
    if not wanted:
        return
    people = User.objects.filter(pk__in=wanted, kind=UserKind.PERSON, is_active=True)
    off = {pk: turn(turned) for pk, turned in people.values_list("pk", "inbox_turned")}
    shown = Notice.objects.bulk_create(
        Notice(
            user_id=message.user,
            code=message.code,
            params=dict(message.params),
            path=message.path,
        )
        for message in messages
        if message.user in off and KIND_OF_NOTICE.get(message.code) not in off[message.user]
    )
    invalidate_topics(sorted({f"user:{notice.user_id}" for notice in shown}))
    leaving = [message for message in messages if message.leaves_inbox]
    queue_mails(leaving)
    queue_for_channels(leaving)


def choose_shown(*, user_id: UUID, off: Collection[str]) -> None:
    """Keep which kinds of notices a person wants to be left out of the inbox."""
    User.objects.filter(pk=user_id).update(inbox_turned=sorted(turn(off)))


def list_notices(user_id: UUID) -> "QuerySet[Notice]":
    """Return the newest notices of a person."""
    return Notice.objects.filter(user=user_id).order_by("-id")[:SHOWN_MAX]


def count_unread(user_id: UUID) -> int:
    """Return how many notices a person has not read."""
    return Notice.objects.filter(user=user_id, read_at=None).count()


def describe_notice(notice: Notice | OutgoingNotice, language: str) -> str:
    """Return the subject of its mail, without the name of the product at its beginning."""
    params = {"portal": get_site_config().portal_url, **notice.params}
    text = translate(language, f"mail.{notice.code}.subject", params)
    return text.removeprefix("Berth: ").removeprefix("Berth：")


def mark_read(*, user_id: UUID, until: UUID) -> int:
    """Mark the notices of a person as read, up to one that was shown; return how many were not."""
    rows = Notice.objects.filter(user=user_id, read_at=None, pk__lte=until)
    return rows.update(read_at=now())


def settle_notices(
    *, codes: Collection[str], about: Mapping[str, object], user_ids: Collection[UUID]
) -> None:
    """Mark as read what these people were notified of and has been dealt with, in the caller's transaction.

    `about` are parameters that the notices have; of a list, entries that it has.
    """
    rows = Notice.objects.filter(
        user__in=user_ids, read_at=None, code__in=codes, params__contains=dict(about)
    )
    found = list(rows.values_list("pk", "user_id"))
    if found:
        Notice.objects.filter(pk__in=[key for key, _ in found]).update(read_at=now())
        invalidate_topics(sorted({f"user:{user}" for _, user in found}))


def delete_old_notices() -> int:
    """Delete notices that are too old; return how many."""
    deleted, _ = Notice.objects.filter(created_at__lt=now() - KEPT).delete()
    return deleted
