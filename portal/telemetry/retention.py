"""From when to when each table has samples: retention, and how far it is rolled up."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from portal.site.selectors import settings_for_system
from portal.telemetry.models import Summed
from portal.telemetry.tables import DAY, HOUR, MINUTE, RAW, Resolution, SeriesKind


def kept_for_system() -> Mapping[str, timedelta]:
    """Return how long each resolution is kept, by its name."""
    site = settings_for_system()
    return {
        RAW.name: timedelta(days=site.raw_samples_kept_days),
        MINUTE.name: timedelta(days=site.minute_samples_kept_days),
        HOUR.name: timedelta(days=site.hour_samples_kept_days),
        DAY.name: timedelta(days=site.hour_samples_kept_days),
    }


def rolled_up_until(resolution: Resolution, *kinds: SeriesKind) -> datetime | None:
    """Return up to when the tables of some kinds are complete; None before the first run of one."""
    tables = [kind.table_name(resolution) for kind in kinds]
    known = list(Summed.objects.filter(pk__in=tables).values_list("until", flat=True))
    return min(known) if len(known) == len(tables) else None
