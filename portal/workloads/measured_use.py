"""Measured GPU use of attempts, kept without a time limit: peaks, and not the samples.

`portal.telemetry` adds the samples; advice is derived from the runs (`scheduler.core.advice`).
"""

from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.inventory.gpu_models import model_name
from scheduler.core.advice import MeasuredRun

SAMPLES_MIN: Final = 10
"""Samples of an attempt, of memory as of utilisation, before it counts as measured."""
RUN_MIN_S: Final = 600
"""An attempt that did not succeed counts as measured only if it ran so long."""
RUNS_MAX: Final = 5
"""The latest runs that advice is derived from."""
RUNS_MIN: Final = 3
"""Runs that are needed of similar work; of the same command one is enough."""
LOOKED_AT_MAX: Final = 500
"""The latest workloads of a user, among which similar ones are looked for."""

UsageSample = tuple[UUID, int | None, int | None]
"""Allocation, MiB of GPU memory, percent of a GPU's time."""


_ADD: Final = """
INSERT INTO workloads_measureduse AS known
    (allocation_id, memory_samples, peak_mib, busy_samples, peak_pct)
SELECT allocation, count(mib), coalesce(max(mib), 0), count(pct), coalesce(max(pct), 0)
FROM unnest(%s::uuid[], %s::bigint[], %s::bigint[]) AS sample (allocation, mib, pct)
GROUP BY allocation ORDER BY allocation
ON CONFLICT (allocation_id) DO UPDATE SET
    memory_samples = known.memory_samples + EXCLUDED.memory_samples,
    peak_mib = greatest(known.peak_mib, EXCLUDED.peak_mib),
    busy_samples = known.busy_samples + EXCLUDED.busy_samples,
    peak_pct = greatest(known.peak_pct, EXCLUDED.peak_pct)
"""
_RUNS: Final = """
SELECT max(used.peak_mib), max(used.peak_pct), work.command_digest, max(coalesce(ran.model, ''))
FROM (
    SELECT id, group_id, kind, image_id, command_digest, state, gpus FROM workloads_workload
    WHERE owner_id = %(owner)s ORDER BY id DESC LIMIT %(looked_at)s
) work
JOIN workloads_allocation past ON past.workload_id = work.id
JOIN workloads_measureduse used ON used.allocation_id = past.id
LEFT JOIN LATERAL (
    SELECT card.model FROM workloads_allocationdevice held
    JOIN inventory_accelerator card ON card.id = held.accelerator_id
    WHERE held.allocation_id = past.id ORDER BY held.id LIMIT 1
) ran ON true
WHERE work.group_id = %(group)s AND work.kind = %(kind)s AND work.gpus <= 1
    AND (%(image)s::uuid IS NULL OR work.image_id = %(image)s)
    AND past.released_at IS NOT NULL
    AND least(used.memory_samples, used.busy_samples) >= %(samples)s
    AND (work.state = 'succeeded'
        OR past.released_at - past.started_at >= make_interval(secs => %(run_s)s))
GROUP BY work.id, work.command_digest, past.epoch
ORDER BY max(past.released_at) DESC, work.id LIMIT %(most)s
"""


def add_samples(samples: Collection[UsageSample]) -> None:
    """Add samples that were not added before; what could not be measured is no sample."""
    measured = [item for item in samples if item[1] is not None or item[2] is not None]
    if measured:
        with connection.cursor() as cursor:
            cursor.execute(_ADD, [list(column) for column in zip(*measured, strict=True)])


def find_similar_runs(
    *, kind: str, group_id: UUID, user_id: UUID, image_id: UUID | None, command: str = ""
) -> tuple[MeasuredRun, ...]:
    """Return the latest measured runs of a user's similar work.

    Runs of the same command where there are any, else runs of the same image, if there are enough.
    """
    params: dict[str, Any] = {
        "owner": user_id,
        "group": group_id,
        "kind": kind,
        "image": image_id,
        "looked_at": LOOKED_AT_MAX,
        "samples": SAMPLES_MIN,
        "run_s": RUN_MIN_S,
        "most": LOOKED_AT_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, params)
        rows = cursor.fetchall()
    same = [row for row in rows if command and row[2] == command]
    alike = same or (rows if len(rows) >= RUNS_MIN else [])
    return tuple(
        MeasuredRun(peak, busy, model_name(model)) for peak, busy, _, model in alike[:RUNS_MAX]
    )
