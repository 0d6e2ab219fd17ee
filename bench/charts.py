"""`python -m bench.charts`: what each chart costs on a large site, over every range that pages offer.

1,600 GPUs on 200 nodes in five pools with hours of 30 days, one node and all pools with all
that they can have (raw samples of a day, minutes of 35 days, hours of three years), a job of 64 ranks for 90 days. Each question
goes through the whole REST stack; CPU is of this process and of PostgreSQL with all its sessions.
"""

import argparse
import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from bench.overview import measure
from bench.site import keep_loaded, prepared
from bench.usage import write_past

POOLS: Final = 5
NODES: Final = 40
CARDS: Final = 8
RANKS: Final = 64
ROUNDS: Final = 20
CPU_MS_MAX: Final = 60.0
WIDE_CPU_MS_MAX: Final = 400.0
"""Of the lines of 64 ranks, 448 of them."""
RESULT: Final = Path("var/bench/charts.json")
RANGES: Final = {
    "15 min": timedelta(minutes=15),
    "1 h": timedelta(hours=1),
    "6 h": timedelta(hours=6),
    "24 h": timedelta(days=1),
    "7 d": timedelta(days=7),
    "30 d": timedelta(days=30),
    "90 d": timedelta(days=90),
    "1 y": timedelta(days=365),
    "3 y": timedelta(days=3 * 365),
}
_STEPS: Final = {
    "raw": ("5 seconds", "1 day"),
    "minute": ("1 minute", "35 days"),
    "hour": ("1 hour", "1095 days"),
}
_CARD: Final = "utilisation_pct, memory_mib, power_mw, temperature_c"
_WORK: Final = (
    "memory_mib, disk_mib, gpu_memory_mib, gpu_utilisation_pct, cpu_ms, rx_bytes, tx_bytes"
)
_WORKED: Final = {"raw": "2 hours", "minute": "8 days", "hour": "90 days"}
_ONE: Final = "SELECT id FROM inventory_accelerator WHERE node_id = %(node)s"
_OTHERS: Final = "SELECT id FROM inventory_accelerator WHERE node_id <> %(node)s"
_ALL_POOLS: Final = "SELECT id FROM inventory_pool"
_RANKS: Final = "SELECT id FROM workloads_allocation WHERE workload_id = %(work)s"
_FILL: Final = """
INSERT INTO telemetry_{kind}_{step} (series, at, last_at, {columns})
SELECT id, at, at, {values}
FROM generate_series(date_trunc('hour', now()) - interval '{reach}', now(), '{every}') at,
    ({series}) given ORDER BY at
"""


def main() -> int:
    """Measure, print, write; 1 when an answer costs more than it may."""
    parser = argparse.ArgumentParser(prog="python -m bench.charts")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with prepared():
        client = write_past(1_000)
        subjects = _write_samples()
        keep_loaded()
        found = {
            f"{subject}, {name}": measure(client, _address(query, length), rounds=ROUNDS)
            for subject, query in subjects.items()
            for name, length in RANGES.items()
        }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    columns = list(next(iter(found.values())))
    print(f"{'':<20}" + "".join(f"{column:>20}" for column in columns))
    for name, figures in found.items():
        print(f"{name:<20}" + "".join(f"{figures[column]:>20,.1f}" for column in columns))
    return int(any(figures["CPU p95 ms"] > _most(name) for name, figures in found.items()))


def _most(name: str) -> float:
    return WIDE_CPU_MS_MAX if name.startswith("job") else CPU_MS_MAX


def _address(query: str, length: timedelta) -> str:
    from portal.common.clock import now  # noqa: PLC0415 - after `prepared`

    since = (now() - length).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"/api/v1/telemetry?{query}&since={since}"


def _write_samples() -> dict[str, str]:
    """Write the site and its samples; return what is charted, as queries."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    from portal.common.clock import now  # noqa: PLC0415
    from portal.identity.models import User  # noqa: PLC0415
    from portal.inventory.models import Accelerator  # noqa: PLC0415
    from portal.telemetry.models import Summed  # noqa: PLC0415
    from portal.telemetry.tables import KINDS, RAW  # noqa: PLC0415
    from portal.tenancy.models import Group  # noqa: PLC0415
    from tests.builders.machines import a_node, a_pool  # noqa: PLC0415
    from tests.builders.workloads import a_workload, an_allocation  # noqa: PLC0415

    pools = [a_pool() for _ in range(POOLS)]
    nodes = [a_node(pool, cards=CARDS) for pool in pools for _ in range(NODES)]
    owner = User.objects.filter(username__startswith="bench-")[0]
    group = Group.objects.filter(name__startswith="bench-")[0]
    work = a_workload(owner, group, pools[0], state="running", replicas=RANKS)
    for rank in range(RANKS):
        an_allocation(work, nodes[rank % NODES], rank=rank)
    _make_partitions()
    given = {"node": nodes[0].pk, "work": work.pk}
    values = "extract(minute FROM at), 20000, 300000, 60"
    of_work = "30000, 2000, 20000, 60, extract(epoch FROM at), 1, 1"
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        for step in _STEPS:
            cursor.execute(_fill("card", step, _CARD, values, _ONE), given)
            if step != "raw":
                of_pool = f"320, {values}"
                cursor.execute(_fill("pool", step, f"cards, {_CARD}", of_pool, _ALL_POOLS), given)
            cursor.execute(_fill("work", step, _WORK, of_work, _RANKS, _WORKED[step]), given)
        cursor.execute(_fill("card", "hour", _CARD, values, _OTHERS, "30 days"), given)
        cursor.execute(_fill("card", "minute", _CARD, values, _OTHERS, "6 hours"), given)
        cursor.execute("ANALYZE")
    for kind in KINDS:
        for resolution in kind.resolutions:
            if resolution is not RAW:
                Summed.objects.create(
                    pk=kind.table_name(resolution), until=now() - 2 * resolution.step
                )
    card = Accelerator.objects.get(node=nodes[0], index=0)
    return {
        "GPU": f"card={card.pk}",
        "node": f"node={nodes[0].pk}",
        "pool": f"pool={pools[0].pk}",
        "cluster": "cluster=true",
        "job of 64 ranks": f"workload={work.pk}",
    }


def _make_partitions() -> None:
    """Create the partitions of all that is written."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    from portal.common.clock import now  # noqa: PLC0415
    from portal.telemetry.tables import KINDS, create_partition_sql  # noqa: PLC0415

    reach = {"raw": timedelta(days=2), "minute": timedelta(days=36), "hour": timedelta(days=1100)}
    with connection.cursor() as cursor:
        for kind in KINDS:
            for resolution in kind.resolutions:
                first = resolution.span_number(now() - reach[resolution.name])
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


if __name__ == "__main__":
    sys.exit(main())
