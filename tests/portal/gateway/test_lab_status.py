"""What JupyterLab is told of its notebook: by real rows, to the owner, a colleague, and a revoked visit."""

from datetime import timedelta

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now, to_millis
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.endpoints import access_shares, services
from portal.endpoints.models import Grant
from portal.execution.samples import ContainerUse, NodeSample
from portal.gateway.lab_status import NOTICES_OF, keep_from_lab, read_lab_status
from portal.identity.models import Notice, User
from portal.notices.inbox import mark_read, notify_people
from portal.telemetry.services import record_samples
from portal.workloads.idle import activity
from portal.workloads.models import Allocation, Idleness, Workload
from tests.builders.people import a_member, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import running

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
RULES = {"idle_warn_s": 60, "idle_release_s": 600, "idle_stop_s": 1200, "idle_keep_s": 300}


@pytest.fixture
def scene() -> Scene:
    scene = a_scene(cards=1)
    scene.pool.policy = RULES
    scene.pool.save()
    return scene


@pytest.fixture
def notebook(scene: Scene) -> Workload:
    work = scene.work(kind="environment", gpus=1)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    idle = running(held, port=8899).model_copy(
        update={"idle_ms": 0, "use_mark": 1, "used_by": "kernel"}
    )
    scene.links[0].beat(containers=[idle])
    scene.links[0].beat(containers=[idle])
    work.refresh_from_db()
    return work


def own_visit(notebook: Workload) -> str:
    issued = services.issue_ticket(
        actor=an_actor(notebook.owner), workload_id=notebook.pk, kind="environment"
    )
    return redeem(issued.url)


def visit_of(colleague: User, notebook: Workload, *, is_full: bool) -> str:
    shared = access_shares.share_access(
        actor=an_actor(notebook.owner),
        workload_id=notebook.pk,
        kind="environment",
        person=colleague.pk,
        is_full=is_full,
        hours=1,
    )
    return redeem(services.issue_shared_ticket(actor=an_actor(colleague), share_id=shared.pk).url)


def redeem(url: str) -> str:
    secret, _ = services.redeem_ticket(url.partition("ticket=")[2].partition("&")[0])
    return secret


def test_owner_learns_its_end_its_gpu_and_where_to_go_on(notebook: Workload) -> None:
    Workload.objects.filter(pk=notebook.pk).update(spec=notebook.spec | {"home": True})
    held = Allocation.objects.get(workload=notebook)
    sample = ContainerUse(
        allocation=held.wire_name,
        epoch=held.epoch,
        cpu_ms=1,
        memory_mib=64,
        gpu_memory_mib=512,
        gpu_utilisation_pct=30,
    )
    taken = NodeSample(at=to_millis(now() - timedelta(seconds=20)), containers=(sample,))
    record_samples(held.node_id, (taken,))

    shown = read_lab_status(own_visit(notebook), notebook.pk, "en")

    assert shown is not None
    assert notebook.started_at is not None
    end = notebook.started_at + timedelta(seconds=notebook.time_limit_s or 0)
    assert (shown["is_own"], shown["ends_at"]) == (True, end.isoformat())
    assert (shown["gpu"]["utilisation_pct"], shown["gpu"]["memory_mib"]) == (30, 512)
    assert shown["gpu"]["memory_limit_mib"] == held.total_gpu_memory_mib
    assert shown["page_url"].endswith(f"/notebooks/{notebook.pk}")
    assert shown["job_form_url"].endswith(f"/jobs/new?notebook={notebook.pk}")


def test_files_of_a_workspace_of_its_own_are_no_job(notebook: Workload) -> None:
    shown = read_lab_status(own_visit(notebook), notebook.pk, "en")
    assert shown is not None
    assert shown["job_form_url"] is None


@pytest.mark.parametrize("is_full", [False, True])
def test_colleague_reads_and_changes_nothing(
    scene: Scene, notebook: Workload, is_full: bool
) -> None:
    Workload.objects.filter(pk=notebook.pk).update(spec=notebook.spec | {"home": True})
    secret = visit_of(a_member(scene.group), notebook, is_full=is_full)
    shown = read_lab_status(secret, notebook.pk, "en")
    assert shown is not None
    assert (shown["is_own"], shown["job_form_url"], shown["notices"]) == (False, None, [])
    with pytest.raises(DeniedError):
        keep_from_lab(secret, notebook.pk)
    assert Idleness.objects.get(pk=notebook.pk).keeps == 0


def test_warning_is_shown_and_keeping_ends_it_as_often_as_the_pool_allows(
    notebook: Workload,
) -> None:
    secret = own_visit(notebook)
    row = Idleness.objects.get(pk=notebook.pk)
    with freeze(row.active_at + timedelta(seconds=550)):
        Idleness.objects.filter(pk=notebook.pk).update(reported_at=now())
        activity.act_on_idle_notebook(notebook.pk)
        shown = read_lab_status(secret, notebook.pk, "en")
        assert shown is not None
        assert (shown["idle"]["next"], shown["idle"]["is_warned"]) == ("release", True)
        assert shown["notices"] == []
        before = shown["idle"]["keeps_left"]

        keep_from_lab(secret, notebook.pk)

        shown = read_lab_status(secret, notebook.pk, "en")
        assert shown is not None
        assert (shown["idle"]["keeps_left"], shown["idle"]["is_warned"]) == (before - 1, False)
        act = AuditEvent.objects.get(action="environment.keep")
        assert act.actor_name == notebook.owner.username
        for _ in range(before - 1):
            keep_from_lab(secret, notebook.pk)
        with pytest.raises(ConflictError):
            keep_from_lab(secret, notebook.pk)


def test_revoked_visit_learns_and_keeps_nothing(notebook: Workload) -> None:
    secret = own_visit(notebook)
    Grant.objects.update(revoked_at=now())
    assert read_lab_status(secret, notebook.pk, "en") is None
    with pytest.raises(NotFoundError):
        keep_from_lab(secret, notebook.pk)


def test_owner_reads_unread_news_of_the_last_hour(scene: Scene, notebook: Workload) -> None:
    secret = own_visit(notebook)
    params = {"owner": "li.wei", "work": "sam", "name": "sam"}
    users, path = [notebook.owner_id], "/notebooks/7"
    notify_people(users=users, code="environment_shared", params=params, path=path)

    def texts(language: str) -> list[str]:
        shown = read_lab_status(secret, notebook.pk, language)
        assert shown is not None
        assert all(each["url"].endswith(path) for each in shown["notices"])
        return [each["text"] for each in shown["notices"]]

    (english,), (chinese,) = texts("en"), texts("zh-CN")
    assert (english, english == chinese) == ("li.wei shares the notebook sam with you", False)
    mark_read(user_id=notebook.owner_id, until=Notice.objects.get().pk)
    assert texts("en") == []
    Notice.objects.update(read_at=None, created_at=now() - NOTICES_OF)
    assert texts("en") == []
