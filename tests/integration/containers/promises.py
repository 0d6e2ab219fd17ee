"""What the tests of this folder ask of a site: work by the API, and what the engine has seen of it."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from rest_framework.test import APIClient

from portal.identity.models import User
from portal.inventory.models import Accelerator, Pool
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, PoolQueue, Workload
from tests.builders.machines import an_image
from tests.nodeagent.faults.site import SLOWLY_S, Agent, Life, Site
from tests.rest import API, browser, json_of
from tests.tiny_image import IMAGE
from tests.waiting import wait_until

NS_PER_S: Final = 1_000_000_000
SAVE_AND_END: Final = """
save() {
  [ -e "$BERTH_NOTICE_FILE" ] && cat "$BERTH_NOTICE_FILE" > "$BERTH_OUTPUT_DIR/notice.$BERTH_EPOCH"
  sleep 1
  echo saved > "$BERTH_OUTPUT_DIR/saved.$BERTH_EPOCH"
  exit 0
}
trap save TERM
set > "$BERTH_OUTPUT_DIR/variables.$BERTH_EPOCH"
echo written > "$BERTH_OUTPUT_DIR/written.$BERTH_EPOCH"
while true; do sleep 0.1; done
"""
"""Work that writes down its environment, and the notice that it gets; then it needs a second to save."""


@dataclass(frozen=True, slots=True)
class Job:
    """One submitted job."""

    id: str
    name: str
    owner: APIClient

    @property
    def row(self) -> Workload:
        """The job as the database has it now."""
        return Workload.objects.get(pk=self.id)

    def act(self, verb: str) -> Any:
        """Do something to it as its owner does on its page."""
        return json_of(self.owner.post(f"{API}/jobs/{self.id}/{verb}", {}, format="json"), 202)


@dataclass(frozen=True, slots=True)
class SiteOfPromises:
    """A site with a pool of its own and one that may lend to it."""

    home: Site
    lender: Site

    @property
    def pool(self) -> Pool:
        """The pool in which the tests submit."""
        return self.home.pool

    def submit(self, user: User, group: Group, name: str, **asked: Any) -> Job:
        """Submit a job of one GPU by the API."""
        client = browser(user)
        answer = client.post(f"{API}/jobs", self.body(group, name, **asked), format="json")
        return Job(str(json_of(answer, 202)["id"]), name, client)

    def body(self, group: Group, name: str, **asked: Any) -> dict[str, Any]:
        """Return the body of a submission."""
        return {
            "name": name,
            "group": str(group.pk),
            "pool": self.pool.name,
            "image": self._image(),
            "command": ["sh", "-c", SAVE_AND_END],
            "gpus": 1,
            "cpu_milli": 100,
            "memory_mib": 64,
        } | asked

    def deserves(self, group: Group, gpus: int) -> None:
        """Let a group deserve so many GPUs, over all pools as the seeded organisation's do."""
        Quota.objects.create(group=group, pool=None, resource="gpu", deserved=1000 * gpus)

    def wait_for(self, jobs: Collection[Job], state: str = "running") -> None:
        """Wait until all of the jobs are in a state; tell what is in the way when they are not in time."""
        try:
            wait_until(
                lambda: {job.row.state for job in jobs} == {state},
                every_s=SLOWLY_S,
            )
        except AssertionError as late:
            every = {row.name: (row.state, row.cause) for row in Workload.objects.all()}
            answers = list(PoolQueue.objects.values_list("answers", flat=True))
            raise AssertionError(every, answers, self.living()) from late

    # --- What is in the containers ---------------------------------------------------------------

    def lives(self, job: Job) -> list[Life]:
        """Return the containers that a job has had, in order."""
        return [each for each in self.home.lives() if each.allocation.startswith(job.row.pk.hex)]

    def living(self) -> dict[str, str]:
        """Return the cards that each living container is given, by the name of its job."""
        found = {}
        with self.home.engine.client() as client:
            for node in self.home.agents:
                label = f"berth.node={node}"
                for container in client.containers.list(filters={"label": label}):
                    env = dict(item.split("=", 1) for item in container.attrs["Config"]["Env"])
                    assert env["NVIDIA_VISIBLE_DEVICES"] == env["CUDA_VISIBLE_DEVICES"]
                    found[env["BERTH_NAME"]] = env["CUDA_VISIBLE_DEVICES"]
        return found

    def output(self, job: Job, name: str) -> str:
        """Return what a job has written into a file of its outputs, once it is there.

        A container runs before its program has done anything.
        """
        found = Path(self.home.root)
        (path,) = wait_until(lambda: list(found.glob(f"*/storage/outputs/{job.id}/{name}")))
        return path.read_text(encoding="utf-8")

    def variables(self, job: Job, epoch: int = 1) -> Mapping[str, str]:
        """Return the environment that the job has found in its container."""
        wait_until(lambda: self.output(job, f"written.{epoch}"))
        lines = self.output(job, f"variables.{epoch}").splitlines()
        pairs = (line.split("=", 1) for line in lines if "=" in line)
        return {name: value.strip("'") for name, value in pairs}

    def assert_left_by_notice(self, job: Job, reason: str, grace_s: int) -> None:
        """Check that the first container was warned, could save in its grace, and ended in it."""
        notice = json.loads(self.output(job, "notice.1"))
        assert notice["reason"] == reason
        assert self.output(job, "saved.1") == "saved\n"
        ended = self.lives(job)[0].ended
        assert ended is not None
        # The file has whole seconds.
        assert notice["deadline"] - grace_s - 1 <= ended / NS_PER_S <= notice["deadline"] + 1

    def assert_each_card_has_one(self) -> None:
        """Check that no two containers ever lived on one card at the same time."""
        by_card: defaultdict[str, list[Life]] = defaultdict(list)
        for life in self.home.lives():
            for card in _cards_of(life):
                by_card[card].append(life)
        for card, lives in by_card.items():
            for earlier, later in pairwise(lives):
                assert earlier.ended is not None, card
                assert earlier.ended <= later.began, card

    def _image(self) -> str:
        image = an_image()
        image.reference = IMAGE
        image.save()
        return image.name


def _cards_of(life: Life) -> list[str]:
    workload, _, rank = life.allocation.partition(".")
    held = Allocation.objects.get(workload=UUID(workload), rank=int(rank), epoch=life.epoch)
    return list(held.devices.values_list("accelerator__uuid", flat=True))


def cards_of(agent: Agent) -> set[str]:
    """Return the cards of a node, as containers name them."""
    return set(Accelerator.objects.filter(node=agent.node).values_list("uuid", flat=True))


def eventually(condition: Callable[[], object]) -> None:
    """Wait until something holds, looking seldom: the machine has other things to do."""
    wait_until(condition, every_s=SLOWLY_S)
