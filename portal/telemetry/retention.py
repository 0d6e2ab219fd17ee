"""How long the samples of each resolution are kept, by the site settings."""

from collections.abc import Mapping
from datetime import timedelta

from portal.site.selectors import settings_for_system
from portal.telemetry.tables import HOUR, MINUTE, RAW


def kept_for_system() -> Mapping[str, timedelta]:
    """Return how long each resolution is kept, by its name."""
    site = settings_for_system()
    return {
        RAW.name: timedelta(days=site.raw_samples_kept_days),
        MINUTE.name: timedelta(days=site.minute_samples_kept_days),
        HOUR.name: timedelta(days=site.hour_samples_kept_days),
    }
