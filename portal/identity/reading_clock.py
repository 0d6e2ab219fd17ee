"""By which clock a person reads times: kept with the account, for every browser and for mails."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from portal.common.clock import list_time_zones
from portal.common.errors import InvalidError
from portal.identity.models import User

_MONTHS: Final = [
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
]


def choose_clock(*, user: User, time_zone: str, hours: str) -> None:
    """Keep the clock of a person; an empty zone is that of each browser, and of the site in mails.

    Raises:
        InvalidError: there is no such zone.
    """
    if time_zone and time_zone not in list_time_zones():
        raise InvalidError("no_such_time_zone", pointer="/time_zone", zone=time_zone)
    user.time_zone, user.hours = time_zone, hours
    user.save(update_fields=["time_zone", "hours"])


def write_moment(user: User, moment: datetime, language: str, site_zone: str) -> str:
    """Return a time as its reader's clock shows it, with its zone: `25 Nov 2026, 14:20 (Asia/Shanghai)`."""
    zone = user.time_zone or site_zone
    at = moment.astimezone(ZoneInfo(zone))
    is_morning, hour = at.hour < 12, at.hour % 12 or 12
    is_half = user.hours == User.Hours.H12
    if language == "zh-CN":
        clock = f"{'上午' if is_morning else '下午'}{hour}:{at:%M}" if is_half else f"{at:%H:%M}"
        return f"{at.year}年{at.month}月{at.day}日 {clock}（{zone}）"
    clock = f"{hour}:{at:%M} {'AM' if is_morning else 'PM'}" if is_half else f"{at:%H:%M}"
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {clock} ({zone})"
