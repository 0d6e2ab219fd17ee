"""On `make run`: a group takes back what it deserves from another that has filled every GPU."""

import logging
import time
from typing import Any, Final

import pytest

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, SitDown
from tests.e2e.words import Words, english_first
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(900)]
BORROWERS: Final = "vision"
OWNERS: Final = organisation.TEAMS[1]
GPUS: Final = 32
ASKED: Final = 4
"""Of the six that the group deserves."""
WITHIN_S: Final = 180
"""The grace period of a seeded pool is a minute."""
log = logging.getLogger(__name__)


@english_first
def test_what_a_group_deserves_comes_back_from_jobs_that_fill_every_gpu(
    platform: Launched, person: SitDown, robot: Pipeline, words: Words
) -> None:
    admin, owner = person(platform, words), person(platform, words)
    admin.sign_in("admin")
    owner.sign_in(OWNERS.people[1])
    _lift_ceiling(admin, BORROWERS)
    name = f"borrowed {words.language}"
    borrowed = [
        robot.started(f"{name} {number}", "sleep 3000", preemptible=True, cpu_milli=100)
        for number in range(GPUS)
    ]
    # By day development keeps one GPU for itself, so not all need to have started.
    wait_until(lambda: _is_full(robot, borrowed), within_s=WITHIN_S)
    before = _running(robot, borrowed)

    began = time.monotonic()
    own = [owner.call("POST", "jobs", _job(f"own {number}"))["id"] for number in range(ASKED)]
    wait_until(
        lambda: all(_state(owner, job) == "running" for job in own), within_s=WITHIN_S, every_s=1
    )
    log.info("%s started after %.0f s", ASKED, time.monotonic() - began)

    assert len(before - _running(robot, borrowed)) == ASKED
    for job in own:
        owner.call("POST", f"jobs/{job}/cancel", {})
    for job in borrowed:
        robot.cancel(job)
    wait_until(lambda: not _running(robot, borrowed), within_s=WITHIN_S, every_s=1)


def _lift_ceiling(admin: Person, group: str) -> None:
    """Let a group use all that is free; what it deserves stays."""
    rows = admin.call("GET", "quotas")
    [row] = [row for row in rows if row["group"]["name"] == group and row["resource"] == "gpu"]
    admin.call("PATCH", f"quotas/{row['id']}", {"ceiling": GPUS * 1000})


def _job(name: str) -> dict[str, Any]:
    sizes = {"gpus": 1, "replicas": 1, "cpu_milli": 100, "memory_mib": 512}
    return {"name": name, "group": OWNERS.name, "image": "python", "script": "sleep 3000", **sizes}


def _running(robot: Pipeline, jobs: list[str]) -> set[str]:
    return {job for job in jobs if robot.get(f"/jobs/{job}")["state"] == "running"}


def _is_full(robot: Pipeline, jobs: list[str]) -> bool:
    states = [robot.get(f"/jobs/{job}")["state"] for job in jobs]
    return states.count("running") >= GPUS - 1 and not {"placing", "starting"} & set(states)


def _state(person: Person, job: str) -> str:
    return str(person.call("GET", f"jobs/{job}")["state"])
