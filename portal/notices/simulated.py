"""Notices of a demo's simulated past: lines of inboxes, which no mail or channel ever carried."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from portal.common.ids import id_of
from portal.identity.models import Notice
from portal.notices.mail import PersonalMessage


@dataclass(frozen=True, slots=True)
class PastNotice:
    """What somebody was notified of at a moment of the past."""

    at: datetime
    message: PersonalMessage
    is_read: bool


def write_past_notices(notices: Iterable[PastNotice]) -> None:
    """Write them into the inboxes of their people."""
    Notice.objects.bulk_create(
        Notice(
            id=id_of(notice.at),
            created_at=notice.at,
            user_id=notice.message.user,
            code=notice.message.code,
            params=dict(notice.message.params),
            path=notice.message.path,
            read_at=notice.at if notice.is_read else None,
        )
        for notice in notices
    )


def delete_past_notices(until: datetime) -> None:
    """Delete the notices of before a moment."""
    Notice.objects.filter(created_at__lt=until).delete()
