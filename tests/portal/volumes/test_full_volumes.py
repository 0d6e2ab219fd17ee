"""Full volumes: jobs that would write there are refused or wait, notebooks start and are told."""

import os
from pathlib import Path
from typing import Any

import pytest

from portal.common.clock import now, to_millis
from portal.volumes.file_access import open_to_write
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.workloads.models import Allocation, Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.volume_sizes import follow_sizes
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis
from tests.builders.machines import an_image
from tests.builders.people import a_member, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of, problem_of
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
FULL = {"quota_mib": 2, "used_mib": 3, "location": "shared", "measured_at": now()}


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene()


def ask(scene: Scene, path: str = "jobs", who: Any = None, **more: Any) -> Any:
    body = {
        "name": "work",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "image": "python",
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "home": False,
        **({} if path == "environments" else {"command": ["true"]}),
        **more,
    }
    return browser(who or scene.owner).post(f"{API}/{path}", body, format="json")


def reasons(work: Workload) -> list[str]:
    """Return why the scheduler holds a workload now; nothing if it would start it."""
    plan = run_cycle(load_snapshot(), Millis(to_millis(now())))
    if any(start.workload == str(work.pk) for start in plan.starts):
        return []
    [hold] = [item for item in plan.holds if item.workload == str(work.pk)]
    return [reason.code.value for reason in hold.reasons]


@pytest.mark.parametrize("path", ["jobs", "job-arrays"])
def test_a_job_that_would_write_to_a_full_volume_is_refused(scene: Scene, path: str) -> None:
    volume = a_group_volume(scene.group, "data", **FULL)
    more = {"array": "0-3"} if path == "job-arrays" else {}

    problem = problem_of(ask(scene, path, volumes=["data"], **more), 409, "volume_over_quota")

    assert problem["params"]["quota_mib"] == 2
    assert volume.folder_name in problem["detail"]
    assert ask(scene, path, **more).status_code == 202
    Volume.objects.filter(pk=volume.pk).update(used_mib=1)
    assert ask(scene, path, volumes=["data"], **more).status_code == 202


def test_a_full_home_refuses_jobs_with_it_and_lets_notebooks_start(scene: Scene) -> None:
    a_home(scene.owner, **FULL)

    problem_of(ask(scene, home=True), 409, "volume_over_quota")
    assert ask(scene, home=False).status_code == 202
    notebook = json_of(ask(scene, "environments", home=True), 202)
    events = json_of(browser(scene.owner).get(f"{API}/workloads/{notebook['id']}/events"))
    [told] = [event for event in events["results"] if event["cause"] == "volume_over_quota"]
    assert told["params"] == {"volume": "home", "used_mib": 3, "quota_mib": 2}


def test_a_volume_that_filled_a_moment_ago_holds_the_job_instead_of_refusing_it(
    scene: Scene, set_site: Any
) -> None:
    volume = a_group_volume(scene.group, "data", **{**FULL, "used_mib": 1})
    json_of(ask(scene, volumes=["data"]), 202)
    set_site(site_view_age_s=60)
    Volume.objects.filter(pk=volume.pk).update(used_mib=2)

    late = json_of(ask(scene, volumes=["data"]), 202)
    assert reasons(Workload.objects.get(pk=late["id"])) == ["volume_over_quota"]

    set_site(site_view_age_s=0)
    problem_of(ask(scene, volumes=["data"]), 409, "volume_over_quota")
    set_site(site_view_age_s=60)
    problem_of(ask(scene, volumes=["data"]), 409, "volume_over_quota")
    Volume.objects.filter(pk=volume.pk).update(used_mib=1)
    json_of(ask(scene, volumes=["data"]), 202)


def test_who_may_only_read_a_full_volume_is_not_concerned(scene: Scene) -> None:
    a_group_volume(scene.group, "data", writers="group_admin", **FULL)
    head = a_member(scene.group, "group_admin")

    assert ask(scene, volumes=["data"]).status_code == 202
    problem_of(ask(scene, who=head, volumes=["data"]), 409, "volume_over_quota")


def test_volumes_without_a_quota_are_never_full(scene: Scene) -> None:
    a_group_volume(scene.group, "data", **{**FULL, "quota_mib": 0})
    assert ask(scene, volumes=["data"]).status_code == 202


def test_what_waits_already_waits_until_there_is_room(scene: Scene) -> None:
    volume = a_group_volume(scene.group, "data", **{**FULL, "used_mib": 1})
    work = Workload.objects.get(pk=json_of(ask(scene, volumes=["data"]), 202)["id"])
    other = Workload.objects.get(pk=json_of(ask(scene), 202)["id"])
    assert reasons(work) == []

    Volume.objects.filter(pk=volume.pk).update(used_mib=2)
    assert reasons(work)[0] == "volume_over_quota"
    assert reasons(other) == []

    Volume.objects.filter(pk=volume.pk).update(quota_mib=9)
    assert reasons(work) == []


def test_a_dry_run_says_what_the_submission_would_say(scene: Scene) -> None:
    a_group_volume(scene.group, "data", **FULL)
    body: dict[str, object] = {"name": "w", "group": str(scene.group.pk)}
    body["pool"] = str(scene.pool.pk)
    body |= {"image": "python", "command": ["true"], "home": False, "volumes": ["data"]}
    body |= {"cpu_milli": 1000, "memory_mib": 1024, "kind": "training"}
    answer = browser(scene.owner).post(f"{API}/workloads/dry-run", body, format="json")
    problem_of(answer, 409, "volume_over_quota")


def written(storage: Path, volume: Volume, mib: int) -> None:
    folder = volume_folder(storage, volume.pk)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{mib}.bin").write_bytes(os.urandom(mib * 1024 * 1024))


def test_the_size_is_known_soon_after_the_first_upload(scene: Scene, tmp_path: Path) -> None:
    volume = a_group_volume(scene.group, "data", quota_mib=9)
    actor = an_actor(scene.owner)
    with override_site_config(storage_dir=tmp_path):
        opened = open_to_write(actor, volume.pk, tmp_path)
        assert Volume.objects.get(pk=volume.pk).used_mib == 0
        follow_sizes(tmp_path)
        written(tmp_path, volume, 3)
        open_to_write(actor, volume.pk, tmp_path)
        assert follow_sizes(tmp_path) == 1
        assert Volume.objects.get(pk=volume.pk).used_mib in (
            3,
            4,
        )  # some file systems count its folder
        assert follow_sizes(tmp_path) == 0
        assert opened.volume.pk == volume.pk


def test_the_size_is_known_soon_after_work_and_running_work_is_told(
    scene: Scene, tmp_path: Path
) -> None:
    volume = a_group_volume(scene.group, "data", quota_mib=2, location="shared")
    first, second = (
        Workload.objects.get(pk=json_of(ask(scene, volumes=["data"]), 202)["id"]) for _ in range(2)
    )
    for work in (first, second):
        scene.place(work, scene.placement())
        for state in ("starting", "running"):
            Workload.objects.filter(pk=work.pk).update(state=state, started_at=now())
    follow_sizes(tmp_path)
    assert follow_sizes(tmp_path) == 0
    written(tmp_path, volume, 5)
    assert follow_sizes(tmp_path) == 0  # nothing says so yet

    held = Allocation.objects.filter(workload=first)
    held.update(state="released", released_at=now(), finished_at=now())
    assert follow_sizes(tmp_path) == 1

    assert Volume.objects.get(pk=volume.pk).is_full
    told = second.events.filter(cause="volume_over_quota")
    assert [event.params["volume"] for event in told] == [volume.folder_name]
    assert follow_sizes(tmp_path) == 0
    assert second.events.filter(cause="volume_over_quota").count() == 1
