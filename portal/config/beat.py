"""The beat: when a task of the timetable is due, and that its messages do not pile up.

Neither asks what time it is. Messages carry no time at which they expire: a worker whose clock is ahead of
the beat's would throw all of them away.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final

from celery.beat import ScheduleEntry, Scheduler
from celery.schedules import schedule
from django.conf import settings
from redis.exceptions import RedisError
from typing_extensions import override

from portal.common.clock import SHARED
from portal.common.redis_client import get_redis_client

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _since_boot() -> datetime:
    """Return a moment that only differences count of: by the clock of the host that nobody can set."""
    return _EPOCH + timedelta(seconds=SHARED.steady_s())


def due_every(seconds: float) -> schedule:
    """Return when a task is due that runs at equal intervals."""
    return schedule(timedelta(seconds=seconds), nowfun=_since_boot)


class BoundedScheduler(Scheduler):
    """Sends nothing to a queue in which as many messages wait as it has tasks: no worker takes them."""

    @override
    def tick(self, *args: Any, **options: Any) -> float:
        """Send what is due, and note by a file that the timetable was looked at; return the pause in s."""
        pause_s: float = super().tick(*args, **options)
        if settings.BEAT_FILE is not None:
            settings.BEAT_FILE.touch()
        return pause_s

    @override
    def apply_async(self, entry: ScheduleEntry, *args: Any, **options: Any) -> Any:
        """Send the message of a task that is due, unless its queue is full."""
        queue = str((entry.options or {})["queue"])
        return None if self._is_full(queue) else super().apply_async(entry, *args, **options)

    def _is_full(self, queue: str) -> bool:
        try:
            return get_redis_client().llen(queue) >= self._tasks[queue]
        except RedisError:
            return False  # sending will find out, too

    @cached_property
    def _tasks(self) -> Counter[str]:
        """The number of tasks of each queue."""
        return Counter(str((entry.options or {})["queue"]) for entry in self.schedule.values())
