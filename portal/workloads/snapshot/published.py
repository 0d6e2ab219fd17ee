"""The reserved starts of the last pass, which the next one keeps."""

from portal.workloads.models import SchedulerPass
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.model.snapshot_codec import SnapshotFormatError, decode_value


def load_published_for_system() -> tuple[PlannedReservation, ...]:
    """Return what the last pass has reserved, in its order.

    A form that an older version wrote promises nothing: the first pass reserves again.
    """
    rows = SchedulerPass.objects.filter(pk=1).values_list("reservations", flat=True).first() or []
    try:
        return tuple(decode_value(PlannedReservation, row) for row in rows)
    except SnapshotFormatError:
        return ()
