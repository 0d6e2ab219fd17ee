"""What a submission was checked against holds until it is stored, whatever others do meanwhile."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, transaction

from portal.common.actor import Actor
from portal.common.errors import DomainError, NotFoundError
from portal.common.ids import new_id
from portal.quotas.models import GroupLimit
from portal.tenancy import groups
from portal.workloads import services
from portal.workloads.models import Workload
from portal.workloads.operations import pools
from portal.workloads.submission.admission import Submission
from portal.workloads.submission.dry_run import run_dry
from scheduler.core.model.entities import Request
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.scenes import Scene
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
ONE_SLICE = Request(cpu_milli=1000, memory_mib=1024, slices=1)
WHOLE_CARDS = {"mode": "exclusive", "slices_per_card": 1, "slice_mib": 0}
Act = Callable[[], object]


@pytest.fixture
def scene() -> Scene:
    """A pool of slices whose only node is drained, so that it may be cut anew."""
    pool, group = a_pool(slices=4), a_group()
    return Scene(pool, [a_node(pool, state="drained")], group, a_member(group))


def an_operator() -> Actor:
    return an_actor(a_user(role="platform_admin"))


def submitting(scene: Scene, kind: str = "environment") -> Act:
    submission = Submission(
        kind=kind,
        name="work",
        group=scene.group.name,
        image=an_image().name,
        pool=scene.pool.name,
        request=ONE_SLICE,
    )
    actor = an_actor(scene.owner)
    return lambda: services.submit_workload(actor=actor, submission=submission)


def met_by(first: Act, second: Act) -> str:
    """Return what becomes of an act that begins while the first is done but not yet committed."""
    started: Future[int] = Future()

    def run() -> str:
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    # A busy machine must not make it give up.
                    cursor.execute("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0")
                    cursor.execute("SELECT pg_backend_pid()")
                    started.set_result(cursor.fetchone()[0])
                second()
        except DomainError as error:
            return error.code
        finally:
            connection.close()
        return "ok"

    with ThreadPoolExecutor(max_workers=1) as threads:
        with transaction.atomic():
            first()
            running = threads.submit(run)
            pid = started.result()
            wait_until(lambda: running.done() or _waits_for_us(pid))
        return running.result()


def _waits_for_us(pid: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() = ANY(pg_blocking_pids(%s))", [pid])
        return bool(cursor.fetchone()[0])


def test_a_submission_meets_the_new_cut_of_its_pool(scene: Scene) -> None:
    actor = an_operator()

    def cut_anew() -> None:
        pools.change_pool(actor=actor, pool_id=scene.pool.pk, changes=WHOLE_CARDS)

    assert met_by(cut_anew, submitting(scene)) == "pool_gives_gpus"
    assert not Workload.objects.exists()


def test_a_pool_is_not_cut_anew_under_a_submission(scene: Scene) -> None:
    actor = an_operator()

    def cut_anew() -> None:
        pools.change_pool(actor=actor, pool_id=scene.pool.pk, changes=WHOLE_CARDS)

    assert met_by(submitting(scene), cut_anew) == "pool_has_work"
    scene.pool.refresh_from_db()
    assert scene.pool.slices_per_card == 4


def test_a_submission_into_a_pool_that_is_removed_is_refused(scene: Scene) -> None:
    actor, other = an_operator(), a_pool()

    def remove() -> None:
        pools.move_node(actor=actor, node_id=scene.nodes[0].pk, pool_id=other.pk)
        pools.remove_pool(actor=actor, pool_id=scene.pool.pk)

    assert met_by(remove, submitting(scene)) == "unknown_pool"


def test_a_submission_into_a_group_that_gets_groups_is_refused(scene: Scene) -> None:
    actor = an_operator()

    def divide() -> None:
        groups.create_group(
            actor=actor, name="part", title_en="Part", title_zh="Part", parent_id=scene.group.pk
        )

    assert met_by(divide, submitting(scene)) == "group_not_leaf"


def a_job_of(scene: Scene, *, queued_max: int) -> Act:
    GroupLimit.objects.create(group=scene.group, pending_per_user_max=queued_max)
    a_node(scene.pool)
    return submitting(scene, kind="training")


def sessions_max() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('max_connections')::int")
        return int(cursor.fetchone()[0])


def test_submissions_of_one_user_do_not_wait_for_each_other(scene: Scene) -> None:
    submit = a_job_of(scene, queued_max=10_000)

    def in_a_session_of_its_own() -> None:
        try:
            submit()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as threads, transaction.atomic():
        submit()
        threads.submit(in_a_session_of_its_own).result(timeout=60)

    assert Workload.objects.count() == 2


def test_the_last_place_below_a_limit_is_given_once(scene: Scene) -> None:
    submit = a_job_of(scene, queued_max=1)

    assert met_by(submit, submit) == "user_counter"
    assert Workload.objects.count() == 1


def test_submissions_at_once_use_up_a_limit_exactly(scene: Scene) -> None:
    limit = sessions_max() + 12
    submit = a_job_of(scene, queued_max=limit)

    def until_refused() -> str:
        try:
            while True:
                submit()
        except DomainError as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=6) as threads:
        ended = list(threads.map(lambda _: until_refused(), range(6)))

    assert ended == ["user_counter"] * 6
    assert Workload.objects.filter(state="queued").count() == limit


@pytest.mark.parametrize("gone", ["pool", "group"])
def test_a_dry_run_for_what_was_removed_meanwhile_is_refused(scene: Scene, gone: str) -> None:
    ids: dict[str, Any] = {gone: str(new_id())}

    with pytest.raises(NotFoundError) as refused:
        run_dry(replace(scene.pending(slices=1), **ids), "training")

    assert refused.value.params["what"] == gone
