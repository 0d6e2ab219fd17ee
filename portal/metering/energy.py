"""SQL of energy: what each card drew from one hour's last sample to the next, by day of the site.

The counter of the card is exact, so its rise is taken where both hours have it; one that has become
smaller began again at zero. A card without a counter draws its mean power for as long as it was
sampled. What is neither is unknown, never zero.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from portal.common.postgresql.column_lists import fill_columns
from portal.site.carbon import CarbonFactors
from portal.site.days import DaySegment

GAP_MAX: Final = timedelta(hours=6)
"""Missing hours over which the rise of a counter is spread evenly; after a longer gap it is unknown."""
SEAM_MAX: Final = timedelta(minutes=5)
"""Between the last sample of an hour and the next hour power is taken to continue as long as this."""
_HOUR: Final = timedelta(hours=1)

# Samples have the millisecond, which `date_part` keeps at a tenth of the cost of `extract`.
_DRAWN_AS: Final = """
reading AS (
    SELECT series, at, last_at, energy_mj, power_mw,
        lag(last_at) OVER earlier AS before_at, lag(energy_mj) OVER earlier AS energy_before_mj
    FROM telemetry_card_hour
    WHERE at > %(first)s - interval '{gap}' - interval '1 hour' AND at < %(last)s + interval '{gap}'
        AND (energy_mj IS NOT NULL OR power_mw IS NOT NULL)
        AND series IN (SELECT accelerator_id FROM device)
    WINDOW earlier AS (PARTITION BY series ORDER BY at)
),
drawn AS (
    SELECT series, at, round(date_part('epoch', before_at) * 1000)::bigint AS since,
        round(date_part('epoch', last_at) * 1000)::bigint AS until,
        CASE WHEN energy_mj >= energy_before_mj THEN energy_mj - energy_before_mj
            ELSE energy_mj END AS energy_mj
    FROM reading
    WHERE energy_mj + energy_before_mj IS NOT NULL AND last_at - before_at <= interval '{gap}'
    UNION ALL
    SELECT series, at, since, until, power_mw * (until - since) / 1000
    FROM (
        SELECT *, round(date_part('epoch', last_at) * 1000)::bigint AS until,
            round(date_part('epoch', CASE WHEN before_at >= at - interval '{seam}'
                THEN before_at ELSE at END) * 1000)::bigint AS since
        FROM reading
        WHERE power_mw IS NOT NULL AND (energy_mj + energy_before_mj
            + CASE WHEN last_at - before_at <= interval '{gap}' THEN 0 END) IS NULL
    ) sampled_power
),
drawn_day AS (
    SELECT drawn.series, drawn.energy_mj, drawn.until - drawn.since AS span_ms, factor.g_per_kwh,
        segment.day, greatest(drawn.since, segment.since) AS begins,
        least(drawn.until, segment.until) AS ends
    FROM drawn JOIN segment ON drawn.since < segment.until AND drawn.until > segment.since
    LEFT JOIN unnest(%(hours)s::timestamptz[], %(factors)s::bigint[]) AS factor (hour, g_per_kwh)
        ON factor.hour = drawn.at
)
"""
DRAWN: Final = fill_columns(_DRAWN_AS, gap=f"{GAP_MAX}", seam=f"{SEAM_MAX}")
# A part of a card has its part of the energy. 3.6 million mJ are a watt-hour, and grams by the
# kilowatt-hour are milligrams by the watt-hour.
ENERGY: Final = """
energy AS (
    SELECT part.day, part.group_id, part.owner_id, part.pool_id, part.model, part.kind, part.outcome,
        milli_ms, own.energy_mj, own.energy_mj * g_per_kwh / 3600000 AS carbon_mg
    FROM device_day part
    JOIN drawn_day drawn ON drawn.series = part.accelerator_id AND drawn.day = part.day
        AND drawn.begins < part.ends AND drawn.ends > part.begins
    CROSS JOIN LATERAL (
        SELECT part.milli * (least(part.ends, drawn.ends) - greatest(part.begins, drawn.begins))
    ) held (milli_ms)
    CROSS JOIN LATERAL (
        SELECT drawn.energy_mj::numeric * milli_ms / (1000 * span_ms)
    ) own (energy_mj)
)
"""


def energy_params(segments: Sequence[DaySegment], carbon: CarbonFactors) -> dict[str, list[Any]]:
    """Return the parameters of `DRAWN` that tell the carbon factor of each hour of some days."""
    first, last = segments[0].begins_at - GAP_MAX, segments[-1].ends_at + GAP_MAX
    at = first.replace(minute=0, second=0, microsecond=0)
    factors = {}
    while at < last:
        if (factor := carbon.at(at)) is not None:
            factors[at] = factor
        at += _HOUR
    return {"hours": list(factors), "factors": list(factors.values())}
