"""The samples of a large site: 90 days by the hour of all cards and work, one node with all that is kept.

Days are rolled up from these hours by the product's own statement.
"""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

_STEPS: Final = {
    "raw": ("2 seconds", "1 day"),
    "minute": ("1 minute", "35 days"),
    "hour": ("1 hour", "1095 days"),
}
_CARD: Final = "utilisation_pct, memory_mib, power_mw, temperature_c, energy_mj"
_POOL: Final = "cards, utilisation_pct, memory_mib, power_mw, temperature_c"
_NODE: Final = (
    "cpus, memory_used_mib, memory_mib, disk_used_mib, disk_mib,"
    " cpu_ms, read_bytes, written_bytes, rx_bytes, tx_bytes"
)
_WORK: Final = (
    "memory_mib, disk_mib, gpu_memory_mib, gpu_utilisation_pct, cpu_ms, rx_bytes, tx_bytes"
)
_GAUGES: Final = "extract(minute FROM at), 20000, 300000, 60"
_SECONDS: Final = "floor(extract(epoch FROM at))::bigint"
_OF_CARD: Final = f"{_GAUGES}, {_SECONDS} * 300"
_OF_POOL: Final = f"320, {_GAUGES}"
_OF_NODE: Final = (
    f"128, 400000, 2000000, 900000, 3000000, {_SECONDS} * 32000,"
    f" {_SECONDS}, {_SECONDS}, {_SECONDS}, {_SECONDS}"
)
_OF_WORK: Final = "30000, 2000, 20000, given.pct, extract(epoch FROM at), 1, 1"
_ONE: Final = "SELECT id FROM inventory_accelerator WHERE node_id = %(node)s"
_OTHERS: Final = "SELECT id FROM inventory_accelerator WHERE node_id <> %(node)s"
_HOST: Final = "SELECT %(node)s::uuid AS id"
_POOLS: Final = "SELECT id FROM inventory_pool"
_RANKS: Final = "SELECT id, 60 AS pct FROM workloads_allocation WHERE workload_id = %(work)s"
_RUNNING: Final = """SELECT id, CASE WHEN row_number() OVER (ORDER BY id) %% 5 = 0 THEN 1 ELSE 60 END AS pct
    FROM workloads_allocation WHERE state = 'bound' AND workload_id <> %(work)s"""
_WORKED: Final = {"raw": "2 hours", "minute": "8 days", "hour": "90 days"}
"""What there is of the job of many ranks."""
_FILL: Final = """
INSERT INTO telemetry_{kind}_{step} (series, at, last_at, {columns})
SELECT id, at, at + interval '{every}' * 0.999, {values}
FROM generate_series(date_trunc('hour', now()) - interval '{reach}', now(), '{every}') at,
    ({series}) given ORDER BY at
"""
_ENDED: Final = """
INSERT INTO telemetry_work_hour (series, at, last_at, gpu_utilisation_pct)
SELECT held.id, hour, hour, 40 FROM workloads_allocation held, generate_series(
    date_trunc('hour', held.created_at), held.released_at, interval '1 hour') hour
WHERE held.released_at IS NOT NULL ORDER BY hour ON CONFLICT DO NOTHING
"""
"""In the order of time, as hours are rolled up: where they lie in it is all that their index knows."""
_REACH: Final = {"raw": 2, "minute": 36, "hour": 1100, "day": 1100}
"""Days for which there are partitions."""


def write_samples(node: UUID, work: UUID) -> None:
    """Write the samples of all cards, pools and work, and of one host; most of them of one node and of one job."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    _make_partitions()
    given = {"node": node, "work": work}
    statements = [_ENDED]
    for step in _STEPS:
        statements.append(_fill("card", step, _CARD, _OF_CARD, _ONE))
        statements.append(_fill("node", step, _NODE, _OF_NODE, _HOST))
        if step != "raw":
            statements.append(_fill("pool", step, _POOL, _OF_POOL, _POOLS))
        statements.append(_fill("work", step, _WORK, _OF_WORK, _RANKS, _WORKED[step]))
    for step, of_cards, of_work in (
        ("hour", "90 days", "12 hours"),
        ("minute", "6 hours", "12 hours"),
    ):
        statements.append(_fill("card", step, _CARD, _OF_CARD, _OTHERS, of_cards))
        statements.append(_fill("work", step, _WORK, _OF_WORK, _RUNNING, of_work))
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, given)
    _roll_days_up()


def _roll_days_up() -> None:
    """Roll the hours up by the day, and say that all of it has been rolled up."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    from portal.common.clock import now  # noqa: PLC0415
    from portal.telemetry.models import Summed  # noqa: PLC0415
    from portal.telemetry.tables import DAY, EPOCH, KINDS, RAW, roll_up_sql  # noqa: PLC0415

    today = EPOCH + (now() - EPOCH) // DAY.step * DAY.step
    for kind in KINDS:
        for resolution in kind.resolutions:
            if resolution is not RAW:
                until = today if resolution is DAY else now() - 2 * resolution.step
                Summed.objects.create(pk=kind.table_name(resolution), until=until)
        with connection.cursor() as cursor:
            cursor.execute(roll_up_sql(kind, DAY), [EPOCH, today])


def _make_partitions() -> None:
    """Create the partitions of all that is written."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    from portal.common.clock import now  # noqa: PLC0415
    from portal.telemetry.tables import KINDS, create_partition_sql  # noqa: PLC0415

    with connection.cursor() as cursor:
        for kind in KINDS:
            for resolution in kind.resolutions:
                reach = timedelta(days=_REACH[resolution.name])
                first = resolution.span_number(now() - reach)
                for number in range(first, resolution.span_number(now()) + 2):
                    cursor.execute(create_partition_sql(kind, resolution, number))


def _fill(kind: str, step: str, columns: str, values: str, series: str, reach: str = "") -> Any:
    every, whole = _STEPS[step]
    return _FILL.format(
        kind=kind,
        step=step,
        columns=columns,
        values=values,
        series=series,
        reach=reach or whole,
        every=every,
    )
