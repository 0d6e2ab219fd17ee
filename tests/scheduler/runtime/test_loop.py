"""The loop on real PostgreSQL: alone, repeatable, and right when it races."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from portal.common.actor import Actor
from portal.common.clock import freeze, from_millis
from portal.common.notifications import SCHEDULER, wake_scheduler
from portal.common.redis_client import get_redis_client
from portal.tenancy.groups import remove_group
from portal.workloads.models import Allocation, PoolQueue, SchedulerPass, Workload
from portal.workloads.operations.pools import remove_pool
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import lifecycle
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import Plan, PlannedStart
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import decode_snapshot
from scheduler.core.model.states import WorkloadState
from scheduler.runtime import board, loop, plan_applier
from scheduler.runtime.loop import LOCK_KEY, SchedulerRun, run_once
from scheduler.runtime.plan_applier import AppliedPlan
from scheduler.runtime.tasks import run_pass
from tests.builders.at_once import at_once
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_user, an_actor
from tests.builders.scenes import a_quota, a_scene, assert_sound
from tests.plans import apply_plan
from tests.waiting import PATIENCE_S

Execute = Callable[..., object]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def states() -> Counter[str]:
    return Counter(Workload.objects.values_list("state", flat=True))


def planned() -> tuple[Plan, Snapshot]:
    snapshot = load_snapshot()
    return run_cycle(snapshot, snapshot.taken_at), snapshot


def cancel(workload: Workload) -> None:
    with transaction.atomic():
        lifecycle.request_stop(
            lifecycle.lock_workload(workload.pk),
            outcome=WorkloadState.CANCELLED,
            cause="cancelled_by_user",
            actor=Actor.system("test"),
        )


def by_another(act: Callable[..., object], **named: object) -> None:
    """Let an administrator do something in a session of its own."""

    def do() -> None:
        with closing(connection):
            act(actor=an_actor(a_user(role="platform_admin")), **named)

    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(do).result()


@contextmanager
def another_session(*statements: str) -> Iterator[None]:
    """Run statements in a transaction of another session, which stays open inside the block."""

    def begin() -> None:
        with connection.cursor() as cursor:
            for statement in ("BEGIN", *statements):
                cursor.execute(statement)

    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(begin).result()
        try:
            yield
        finally:
            thread.submit(lambda: connection.close()).result()  # noqa: PLW0108 - the thread's own


def test_a_run_places_what_fits_and_explains_the_rest() -> None:
    scene = a_scene(cards=4)
    first, second, third = (scene.work(gpus=2) for _ in range(3))

    run = run_once()

    assert run is not None
    assert run.placed == 2
    assert {row.state for row in Workload.objects.filter(pk__in=[first.pk, second.pk])} == {
        "placing"
    }
    queue = PoolQueue.objects.get()
    assert (queue.workloads, queue.positions, queue.answer_of) == ([third.pk], [1], [0])
    assert queue.answers[0]["reasons"] == [
        {
            "code": "insufficient_now",
            "params": {"resource": "gpus", "requested": 2, "free": 0},
        }
    ]
    (board,) = SchedulerPass.objects.get().boards
    assert (board["gpus_total"], board["gpus_free"], board["waiting"]) == (4, 0, 1)
    assert_sound()


def test_an_answer_that_is_still_true_is_confirmed_without_writing_it_again() -> None:
    scene = a_scene(cards=1)
    scene.work(gpus=1)
    scene.work(gpus=1)
    moment = datetime(2030, 1, 1, 0, 0, 30, tzinfo=UTC)
    with freeze(moment):
        run_once()
    before = PoolQueue.objects.get()
    written: list[str] = []

    def note(execute: Execute, sql: str, *args: object) -> object:
        written.append(sql)
        return execute(sql, *args)

    with connection.execute_wrapper(note), freeze(moment + timedelta(seconds=5)):
        run_once()

    after = PoolQueue.objects.get()
    assert (after.workloads, after.answers) == (before.workloads, before.answers)
    assert after.decided_at > before.decided_at
    assert not any(sql.lstrip().startswith("INSERT INTO workloads_poolqueue") for sql in written)


def test_the_longer_a_queue_is_the_more_seldom_it_is_told() -> None:
    a_scene().work(gpus=1)
    (waits,) = load_snapshot().pending
    told = 1_700_000_000_000
    SchedulerPass.objects.create(id=1, at=from_millis(told))

    def is_due(waiting: int, after_ms: int) -> bool:
        return board.is_explanation_due(
            Snapshot(Millis(told + after_ms), pending=(waits,) * waiting)
        )

    assert is_due(1000, 0)
    assert (is_due(8000, 1999), is_due(8000, 2000)) == (False, True)
    assert (is_due(90_000, 4999), is_due(90_000, 5000)) == (False, True)


def test_the_answer_of_work_that_has_started_is_taken_back() -> None:
    scene = a_scene(cards=1)
    first, second = scene.work(gpus=1), scene.work(gpus=1)
    run_once()
    cancel(first)

    run_once()

    second.refresh_from_db()
    assert second.state == "placing"
    assert PoolQueue.objects.get().workloads == []


def test_what_is_removed_during_a_pass_takes_nothing_else_with_it() -> None:
    scene, new_pool, new_group = a_scene(nodes=2, cards=2), a_pool(), a_group()
    never_fits, fits, away = scene.work(gpus=4), scene.work(gpus=2), scene.work(gpus=1)
    plan, snapshot = planned()
    cancel(away)
    by_another(remove_pool, pool_id=new_pool.pk)
    by_another(remove_group, group_id=new_group.pk)

    applied = apply_plan(plan, snapshot)

    assert applied == AppliedPlan(placed=1, refused=frozenset({WorkloadId(str(away.pk))}))
    fits.refresh_from_db()
    assert fits.state == "placing"
    queue = PoolQueue.objects.get()
    assert (queue.pool_id, queue.workloads) == (scene.pool.pk, [never_fits.pk])
    assert run_once() is not None
    assert_sound()


def test_a_pool_that_is_removed_while_reasons_are_written_is_left_out() -> None:
    scene, new_pool = a_scene(cards=1), a_pool()
    scene.work(gpus=2)
    plan, snapshot = planned()
    gone = threading.Event()

    def remove_meanwhile(execute: Execute, sql: str, *args: object) -> object:
        if sql.lstrip().startswith("INSERT INTO workloads_poolqueue") and not gone.is_set():
            gone.set()
            by_another(remove_pool, pool_id=new_pool.pk)
        return execute(sql, *args)

    with connection.execute_wrapper(remove_meanwhile):
        apply_plan(plan, snapshot)

    assert gone.is_set()
    assert [row.pool_id for row in PoolQueue.objects.all()] == [scene.pool.pk]


def test_two_loops_at_once_place_each_workload_once() -> None:
    scene = a_scene(nodes=2, cards=8)
    a_quota(scene.group, ceiling=12_000)
    for _ in range(20):
        scene.work(gpus=1)

    runs = at_once(2, lambda _: run_once())

    assert any(runs)
    assert states() == {"placing": 12, "queued": 8}
    assert Allocation.objects.count() == 12
    assert_sound()


def test_two_appliers_of_one_plan_place_each_workload_once() -> None:
    scene = a_scene(nodes=2, cards=8)
    for _ in range(16):
        scene.work(gpus=1)
    plan, snapshot = planned()

    applied = at_once(2, lambda _: apply_plan(plan, snapshot))

    assert sum(result.placed for result in applied) == 16
    assert sum(len(result.refused) for result in applied) == 16
    assert Allocation.objects.count() == 16
    assert_sound()


def test_a_decision_that_no_longer_holds_is_dropped_alone() -> None:
    scene = a_scene(cards=8)
    works = [scene.work(gpus=1) for _ in range(3)]
    plan, snapshot = planned()
    cancel(works[1])

    applied = apply_plan(plan, snapshot)

    assert applied.placed == 2
    assert applied.refused == {str(works[1].pk)}
    assert states() == {"placing": 2, "cancelled": 1}
    assert_sound()


@contextmanager
def a_committer() -> Iterator[ThreadPoolExecutor]:
    """Provide the one thread that commits, and end its session."""
    with ThreadPoolExecutor(max_workers=1) as committer:
        yield committer
        committer.submit(lambda: connection.close()).result()  # noqa: PLW0108 - the thread's own


def test_a_batch_is_committed_while_the_next_is_decided() -> None:
    scene = a_scene()
    for _ in range(plan_applier.BATCH + 1):
        scene.work(cpu_milli=1)
    starts = planned()[0].starts
    is_asked_for_more = threading.Event()

    def decided() -> Iterator[PlannedStart]:
        yield from starts[: plan_applier.BATCH]
        is_asked_for_more.set()
        yield from starts[plan_applier.BATCH :]

    with a_committer() as committer:
        first = committer.submit(is_asked_for_more.wait, PATIENCE_S)
        applied = plan_applier.begin_starts(decided(), committer).finish()

    assert first.result()
    assert applied == AppliedPlan(placed=plan_applier.BATCH + 1, refused=frozenset())
    assert states() == {"placing": plan_applier.BATCH + 1}
    assert_sound()


def test_a_committer_whose_session_has_broken_takes_another() -> None:
    scene = a_scene(cards=2)
    works = [scene.work(gpus=1) for _ in range(2)]

    def own_session() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            return int(cursor.fetchone()[0])

    with a_committer() as committer:
        broken = committer.submit(own_session).result()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [broken])
        run = run_once(committer)

    assert run == SchedulerRun(passes=1, placed=len(works))
    assert_sound()


def test_a_run_is_repeated_while_it_both_places_and_is_refused() -> None:
    scene = a_scene(cards=2)
    works = [scene.work(gpus=1) for _ in range(3)]
    stopped = threading.Event()

    def stop_the_first(execute: Execute, sql: str, *args: object) -> object:
        if "FOR NO KEY UPDATE" in sql and not stopped.is_set():
            stopped.set()
            with ThreadPoolExecutor(max_workers=1) as thread:
                thread.submit(cancel, works[1]).result()
        return execute(sql, *args)

    with connection.execute_wrapper(stop_the_first):
        run = run_once()

    assert run == SchedulerRun(passes=2, placed=2)
    assert states() == {"placing": 2, "cancelled": 1}
    assert_sound()


def test_while_another_copy_works_a_run_returns_at_once() -> None:
    scene = a_scene(cards=1)
    scene.work(gpus=1)

    with another_session(f"SELECT pg_advisory_xact_lock({LOCK_KEY})"):
        assert run_once() is None
    assert states() == {"queued": 1}

    assert run_once() == SchedulerRun(passes=1, placed=1)


def test_a_wake_up_during_another_copys_run_is_not_lost() -> None:
    with another_session(f"SELECT pg_advisory_xact_lock({LOCK_KEY})"):
        run_pass()
    assert get_redis_client().llen(SCHEDULER) == 1

    run_pass()
    assert get_redis_client().llen(SCHEDULER) == 1


def test_the_task_takes_the_flag_down_before_it_reads() -> None:
    scene = a_scene(cards=1)
    wake_scheduler()

    run_pass()
    scene.work(gpus=1)
    wake_scheduler()

    assert get_redis_client().llen(SCHEDULER) == 2


@pytest.mark.usefixtures("redis_away")
def test_without_redis_a_run_places_all_the_same() -> None:
    a_scene(cards=1).work(gpus=1)

    run_pass()

    assert states() == {"placing": 1}


def test_the_command_needs_no_broker() -> None:
    a_scene(cards=1).work(gpus=1)

    call_command("run_scheduler", once=True)

    assert states() == {"placing": 1}


def test_a_pass_that_fails_keeps_its_snapshot(
    set_site: Callable[..., None], tmp_path: Path
) -> None:
    set_site(storage_dir=tmp_path)
    work = a_scene(cards=1).work(gpus=1)

    a_locked_table = another_session("LOCK TABLE workloads_poolqueue IN ACCESS EXCLUSIVE MODE")
    with a_locked_table, impatient(), pytest.raises(DatabaseError):
        run_once()

    kept = decode_snapshot(json.loads((tmp_path / "scheduler" / loop.FAILED_SNAPSHOT).read_text()))
    assert [item.id for item in kept.pending] == [str(work.pk)]
    assert states() == {"placing": 1}  # starts do not wait for what is told about the rest
    assert run_once() is not None


@contextmanager
def impatient() -> Iterator[None]:
    """Let this session give up on a lock soon."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")
