"""What could never start is refused at submission, on a picture of the site that may be a second old."""

from dataclasses import replace
from threading import Lock
from time import monotonic
from typing import Final

from portal.common.site_config import get_site_config
from portal.workloads.snapshot.loader import load_site
from scheduler.core.dry_run import find_permanent_refusals
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import GroupId, PendingWorkload
from scheduler.core.model.reasons import Reason


def find_refusals(work: PendingWorkload) -> tuple[Reason, ...]:
    """Return why such work could never start, however long it waits; empty if it could.

    Nothing that waits or runs is read, and how the work would stand in the queue does not matter.
    A refusal always rests on the site as it is now. Work that was possible up to
    `site_view_age_s` ago is accepted: it is treated as if it had come that much earlier, and the
    scheduler decides on it by the present anyway.
    """
    return _site_view.find_refusals(replace(work, priority=0, preemptible=False))


class _SiteView:
    """The empty cluster with its quotas; reading and indexing it is most of what admission costs."""

    def __init__(self) -> None:
        self._lock = Lock()  # threads of the web process share the view, and its lazy parts
        self._ledger: Ledger | None = None
        self._groups: frozenset[GroupId] = frozenset()
        self._read_at = 0.0

    def find_refusals(self, work: PendingWorkload) -> tuple[Reason, ...]:
        with self._lock:
            if self._is_recent() and self._allows(work):
                return ()
            self._read_at = monotonic()
            site = load_site()
            self._groups = frozenset(group.id for group in site.groups)
            self._ledger = Ledger(site)
            return find_permanent_refusals(self._ledger, work)

    def _is_recent(self) -> bool:
        return monotonic() - self._read_at < get_site_config().site_view_age_s

    def _allows(self, work: PendingWorkload) -> bool:
        ledger = self._ledger
        if ledger is None or work.pool not in ledger.pools or work.group not in self._groups:
            return False
        return not find_permanent_refusals(ledger, work)


_site_view: Final = _SiteView()
