"""The rows of a large site: its people, what they did in the last months, and what runs and waits now."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

ROOM: Final = 5
"""Pools."""
CARDS: Final = 8
"""Of each node."""
GROUPS: Final = 50
RANKS: Final = 64
"""Of one job."""
ANSWERS: Final = 300
"""Distinct answers of the scheduler to what waits."""
NAMES: Final = "bench-"
"""How users and groups begin."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a site is."""

    users: int = 1_000
    """A multiple of `GROUPS`."""
    workloads: int = 100_000
    """That have ended, within `days`."""
    nodes: int = 200
    running: int = 1_500
    waiting: int = 5_000
    days: int = 90


_PEOPLE: Final = """
FROM (SELECT array_agg(id ORDER BY username) AS ids FROM identity_user WHERE username LIKE 'bench-%%')
    users, (SELECT array_agg(id ORDER BY name) AS ids FROM tenancy_group WHERE name LIKE 'bench-%%')
    groups, (SELECT array_agg(id ORDER BY name) AS ids FROM inventory_pool) pools
"""
_OF_THE_NTH: Final = """
    users.ids[1 + n %% cardinality(users.ids)], groups.ids[1 + n %% cardinality(groups.ids)],
    pools.ids[1 + n / 7 %% cardinality(pools.ids)]"""
_COLUMNS: Final = """
INSERT INTO workloads_workload (id, created_at, kind, name, owner_id, group_id, pool_id, image_id,
    heads_array, replicas, gpus, slices, gpu_models, gpu_memory_min_mib, gpu_features,
    gpu_bandwidth_min_gbps, cpu_milli, memory_mib, priority, time_limit_s, retries_max, restart, spec,
    files, command_digest, state, version, epoch, outcome, cause, cause_params, retries, preemptible,
    evictions, attained_gpu_s, submitted_at, queued_at, started_at, finished_at)
"""
_ALIKE: Final = """
    %(image)s, false, 1, 1, 0, '{}', 0, '{}', 0, 4000, 16384, 0, 86400, 0, '{}', '{}', '{}', ''"""
_KIND: Final = "CASE n %% 3 WHEN 0 THEN 'environment' ELSE 'training' END"
_COMMON: Final = {
    "@columns": _COLUMNS,
    "@kind": _KIND,
    "@of_the_nth": _OF_THE_NTH,
    "@alike": _ALIKE,
    "@people": _PEOPLE,
}
"""What statements have in common, by how they name it."""
_ENDED: Final = """@columns
SELECT gen_random_uuid(), at, @kind, 'w' || n, @of_the_nth, @alike,
    'succeeded', 4, 1, '', '', '{}', 0, false, 0, 0, at, at, at, at + ran
@people, (
    SELECT n, %(until)s - make_interval(secs => (n::bigint * 7919 %% (86400 * %(days)s)) + 86400) AS at,
        make_interval(secs => 600 + n * 31 %% 20000) AS ran
    FROM generate_series(1, %(workloads)s) n) given
"""
_PRESENT: Final = """@columns
SELECT gen_random_uuid(), at, @kind, state || n, @of_the_nth, @alike,
    state, 4, 1, '', '', '{}', 0, false, 0, 0, at, at,
    CASE state WHEN 'running' THEN at END, NULL
@people, (
    SELECT n, state, %(until)s - interval '12 hours' - n * interval '5 seconds' AS at
    FROM (VALUES ('running', %(running)s), ('queued', %(waiting)s)) counted (state, count),
        generate_series(1, count) n) given
"""
_HELD: Final = """
INSERT INTO workloads_allocation (id, created_at, workload_id, rank, epoch, node_id, pool_id, state,
    silence, cpu_milli, memory_mib, total_gpu_milli, total_gpu_memory_mib, gpu_milli_by_model, phase,
    detail, exit_cause, started_at, bound_at, released_at)
SELECT gen_random_uuid(), work.submitted_at, work.id, 0, 1, card.node_id, card.pool_id,
    CASE WHEN work.is_over THEN 'released' ELSE 'bound' END, 'keep', 4000, 16384, 1000, 32768, '{}',
    CASE WHEN work.is_over THEN '' ELSE 'running' END, card.id::text,
    CASE WHEN work.is_over THEN 'exited' ELSE '' END, work.submitted_at, work.submitted_at,
    work.finished_at
FROM (SELECT *, state = 'succeeded' AS is_over, row_number() OVER (
        PARTITION BY pool_id, state = 'succeeded' ORDER BY id) - 1 AS n
    FROM workloads_workload WHERE state IN ('running', 'succeeded')) work
JOIN (SELECT id, node_id, pool_id, row_number() OVER (PARTITION BY pool_id ORDER BY node_id, index) - 1
        AS n, count(*) OVER (PARTITION BY pool_id) AS count FROM inventory_accelerator) card
    ON card.pool_id = work.pool_id AND card.n = work.n %% card.count
"""
_DEVICES: Final = """
INSERT INTO workloads_allocationdevice (allocation_id, accelerator_id, slot, slices, gpu_milli,
    counted_milli, memory_mib, held_from, released_at, claim_mode)
SELECT id, detail::uuid, 0, 1, 0, 1000, 32768, created_at, released_at,
    CASE state WHEN 'bound' THEN 'exclusive' END
FROM workloads_allocation
"""
_ENDS: Final = """
INSERT INTO workloads_workloadevent (workload_id, owner_id, group_id, pool_id, at, from_state,
    to_state, epoch, cause, params, actor_kind, actor_id)
SELECT id, owner_id, group_id, pool_id, finished_at, 'running', 'succeeded', 1, '', '{}', 'system', ''
FROM workloads_workload WHERE state = 'succeeded'
"""
_FORGET: Final = "UPDATE workloads_allocation SET detail = ''"
_MEMBERS: Final = """
INSERT INTO tenancy_membership (id, created_at, user_id, group_id, role)
SELECT gen_random_uuid(), now(), users.ids[n + 1], groups.ids[1 + n %% cardinality(groups.ids)],
    CASE WHEN n / cardinality(groups.ids) = 1 THEN 'group_admin' ELSE 'developer' END
@people, generate_series(0, cardinality(users.ids) - 1) n
"""
_HOMES: Final = """
INSERT INTO volumes_volume (id, created_at, kind, name, owner_id, quota_mib, used_mib, state, location,
    writers, measured_at, description, is_writable_below)
SELECT gen_random_uuid(), now(), 'home', 'home', id, 102400, 0, 'active', 'shared', 'developer', now(),
    '', false
FROM identity_user
"""
_AUDIT: Final = """
INSERT INTO audit_auditevent (at, actor_kind, actor_id, actor_name, action, object_type, object_id,
    group_id, outcome, params, request_id, address)
SELECT submitted_at, 'user', owner_id::text, 'bench', 'workload.submit', 'workload', work.id::text,
    group_id, 'ok', '{}', '', '127.0.0.1'
FROM workloads_workload work ORDER BY submitted_at
"""


_STATEMENTS: Final = (
    *(_MEMBERS, _HOMES, _ENDED, _PRESENT, _HELD),
    *(_DEVICES, _ENDS, _FORGET, _AUDIT),
)


def _whole(statement: str) -> str:
    for name, text in _COMMON.items():
        statement = statement.replace(name, text)
    return statement


def write_people(size: Size) -> None:
    """Write the users and groups; the second twentieth of the users heads the groups."""
    from portal.identity.models import User  # noqa: PLC0415 - after `prepared`
    from portal.tenancy.models import Group  # noqa: PLC0415
    from tests.builders.people import a_root  # noqa: PLC0415

    User.objects.bulk_create(
        User(username=f"{NAMES}{n:04}", display_name=f"Person {n}") for n in range(size.users)
    )
    Group.objects.bulk_create(
        Group(name=f"{NAMES}{n:02}", title_en=f"Team {n}", title_zh=f"Team {n}", parent=a_root())
        for n in range(GROUPS)
    )


def write_cards(size: Size) -> None:
    """Write pools, and nodes that have just been heard of."""
    from portal.common.clock import now  # noqa: PLC0415 - after `prepared`
    from portal.inventory.models import Accelerator, Node  # noqa: PLC0415
    from tests.builders.machines import a_node, a_pool  # noqa: PLC0415

    pools = [a_pool() for _ in range(ROOM)]
    for number in range(size.nodes):
        a_node(pools[number % ROOM], cards=CARDS)
    Node.objects.update(last_seen_at=now())
    Accelerator.objects.update(
        utilisation_pct=60, memory_used_mib=20_000, power_mw=300_000, temperature_c=60
    )


def write_work(size: Size, until: datetime) -> None:
    """Write what ended, runs and waits, with all that it held."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    from tests.builders.machines import an_image  # noqa: PLC0415

    params: dict[str, Any] = {
        "image": an_image().pk,
        "until": until,
        "days": size.days,
        "workloads": size.workloads,
        "running": size.running,
        "waiting": size.waiting,
    }
    with connection.cursor() as cursor:
        for statement in _STATEMENTS:
            cursor.execute(_whole(statement), params)
    _write_wide_job(size)
    _write_rules()
    _write_answers(until)


def _write_wide_job(size: Size) -> None:
    """Write the job of many ranks, on GPUs that nothing else has."""
    from portal.identity.models import User  # noqa: PLC0415 - after `prepared`
    from portal.inventory.models import Accelerator, Pool  # noqa: PLC0415
    from portal.tenancy.models import Group  # noqa: PLC0415
    from portal.workloads.models import AllocationDevice  # noqa: PLC0415
    from tests.builders.workloads import a_workload, an_allocation  # noqa: PLC0415

    held = AllocationDevice.objects.filter(released_at=None)
    free = Accelerator.objects.exclude(pk__in=held.values("accelerator"))
    owner, group = User.objects.get(username=f"{NAMES}0000"), Group.objects.get(name=f"{NAMES}00")
    work = a_workload(owner, group, Pool.objects.all()[0], state="running", replicas=RANKS, gpus=1)
    for rank, card in enumerate(free.select_related("node").order_by("id")[:RANKS]):
        an_allocation(work, card.node, rank=rank, on=[(card, 0)])
    if work.allocations.count() < RANKS:
        raise ValueError(f"{size} leaves no room for a job of {RANKS} GPUs")


def _write_rules() -> None:
    """Write quotas and budgets of the groups."""
    from portal.quotas.models import Budget, Quota  # noqa: PLC0415 - after `prepared`
    from portal.tenancy.models import Group  # noqa: PLC0415

    groups = list(Group.objects.filter(name__startswith=NAMES))
    for resource in ("gpu", "cpu", "memory"):
        Quota.objects.bulk_create(
            Quota(group=group, resource=resource, ceiling=30_000, used=n * 600)
            for n, group in enumerate(groups)
        )
    Budget.objects.bulk_create(
        Budget(group=group, period="month", gpu_hours=100) for group in groups[:10]
    )


def _write_answers(at: datetime) -> None:
    """Write what the scheduler said of what waits."""
    from portal.inventory.models import Pool  # noqa: PLC0415 - after `prepared`
    from portal.workloads.models import PoolQueue, SchedulerPass, Workload  # noqa: PLC0415

    codes = ("insufficient_now", "quota_ceiling", "behind_reservation", "fragmented")
    answers = [
        {
            "reasons": [{"code": codes[n % len(codes)], "params": {"free": n, "requested": 8}}],
            "expected": None,
        }
        for n in range(ANSWERS)
    ]
    for pool in Pool.objects.all():
        queued = Workload.objects.filter(state="queued", pool=pool).order_by("queued_at")
        waiting = list(queued.values_list("pk", flat=True))
        PoolQueue.objects.create(
            pool=pool,
            workloads=waiting,
            positions=list(range(1, len(waiting) + 1)),
            answer_of=[n % ANSWERS for n in range(len(waiting))],
            answers=answers,
            decided_at=at,
        )
    SchedulerPass.objects.create(at=at)
