"""A toy of the site for the plan: two nodes of training, sixteen cards to lend, quotas, and visitors."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random

from portal.demo.activity.plan import ROUND_S, decide
from portal.demo.activity.world import (
    GPU,
    JOB_CPU_MILLI,
    QUEUED,
    SUSPENDED,
    Amount,
    Ceiling,
    End,
    JobDraft,
    Leave,
    Open,
    ReleaseHold,
    Resume,
    Room,
    Step,
    Submit,
    Work,
    World,
)
from portal.demo.organisation import DEVELOPMENT, SHARES, TEAMS, TRAINING

CEILINGS = Ceiling(6 * GPU, 40_000), Ceiling(24 * GPU, 40_000)
"""With and without a past to borrow in."""
NODES = ("train-1", "train-2")


@dataclass
class ToySite:
    """Runs the plan's steps as a simple scheduler would, without reservations or evictions."""

    seed: int
    now: datetime = datetime(2026, 11, 30, 10, tzinfo=UTC)
    ceiling: Ceiling = CEILINGS[0]
    work: dict[str, Work] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """Node of the first rank of each running job; `lent` is the development pool."""
    ends: dict[str, float] = field(default_factory=dict)
    waits: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Until which moment it may not start, and after which work."""
    others: dict[str, Amount] = field(default_factory=dict)
    visitors_training: int = 0
    log: list[Step] = field(default_factory=list)
    count: int = 0

    def world(self, *, are_others_waiting: bool = False) -> World:
        """Return what the activity would read now."""
        free = self.free_by_node()
        return World(
            seed=self.seed,
            now=self.now,
            room=Room(
                training_largest=max(free.values()),
                training_free=sum(free.values()),
                lendable=self.untouched(),
                slices_free=128 - 8 * self.lent() - self.slices(),
                share_milli_free=4 * GPU - self.share_milli(),
            ),
            work=tuple(self.work.values()),
            ceilings={team.name: self.ceiling for team in TEAMS},
            used_by_others=dict(self.others),
            are_others_waiting=are_others_waiting,
        )

    def running(self) -> list[Work]:
        """Return what has its GPUs."""
        return [item for item in self.work.values() if item.is_placed]

    def free_by_node(self) -> Counter[str]:
        """Return the free GPUs of the training nodes."""
        free = Counter(dict.fromkeys(NODES, 8))
        free[NODES[0]] -= self.visitors_training
        for item in self.running():
            if self.places.get(item.id) in free:
                free[self.places[item.id]] -= item.amount.gpu_milli // GPU
        return free

    def lent(self) -> int:
        """Return how many development cards jobs have borrowed."""
        return sum(
            item.amount.gpu_milli // GPU
            for item in self.running()
            if self.places.get(item.id) == "lent"
        )

    def slices(self) -> int:
        """Return how many slices notebooks hold."""
        return sum(item.slices for item in self.running())

    def untouched(self) -> int:
        """Return how many development cards nobody holds a part of: notebooks are packed."""
        return 16 - self.lent() - -(-self.slices() // 8)

    def share_milli(self) -> int:
        """Return how much of the shared cards is held."""
        return sum(item.amount.gpu_milli for item in self.running() if item.pool == SHARES)

    def training_gpus(self) -> int:
        """Return on how many GPUs of the training pool the activity's jobs run."""
        return 16 - self.visitors_training - sum(self.free_by_node().values())

    def used(self, group: str) -> Amount:
        """Return what a group holds."""
        own = [item.amount for item in self.running() if item.group == group]
        return sum(own, self.others.get(group, Amount()))

    def visit(self, gpus: int) -> None:
        """Have people take GPUs of the first training node for work of `vision`, or give them back."""
        self.visitors_training += gpus
        before = self.others.get("vision", Amount())
        self.others["vision"] = before + Amount(gpus * GPU, gpus * JOB_CPU_MILLI)

    def round(self, *, are_others_waiting: bool = False) -> tuple[Step, ...]:
        """Decide, act, start what may start, and let a round's time pass."""
        steps = decide(self.world(are_others_waiting=are_others_waiting))
        self._act(steps)
        self._start()
        self._pass_time()
        self._start()
        self.log += steps
        return steps

    def _act(self, steps: Iterable[Step]) -> None:
        for step in steps:
            match step:
                case Submit(job):
                    self._submit(job)
                case Open(notebook):
                    pool = DEVELOPMENT if notebook.slices else SHARES
                    self._add(
                        Work(
                            self._name(),
                            notebook.owner,
                            notebook.group,
                            pool,
                            False,
                            QUEUED,
                            notebook.amount,
                            slices=notebook.slices,
                        )
                    )
                case Resume(work):
                    self._set(work, state=QUEUED, wait_s=0)
                case Leave(work):
                    self._set(work, state=SUSPENDED, run_s=0)
                case ReleaseHold(work):
                    self._set(work, is_held=False)
                case End(work):
                    self.work.pop(work.id)

    def _submit(self, job: JobDraft) -> None:
        rng = Random(f"{self.seed}/{self.count}")
        array = self._name() if job.tasks > 1 else ""
        gpus = job.gpus * job.replicas
        for _ in range(job.tasks):
            name = self._name()
            begins = self.now.timestamp() + job.begins_in_s if job.begins_in_s else 0
            self.waits[name] = begins, job.after
            self.ends[name] = rng.uniform(0.3, 1) * job.time_limit_s
            self._add(
                Work(
                    name,
                    job.owner,
                    job.group,
                    TRAINING,
                    True,
                    QUEUED,
                    Amount(gpus * GPU, gpus * job.cpu_milli_per_gpu),
                    gpus=job.gpus,
                    priority=job.priority,
                    array=array,
                    running_max=job.running_max,
                    is_held=job.is_held,
                    has_begin=bool(begins),
                    depends=bool(job.after),
                )
            )

    def _start(self) -> None:
        for item in sorted(self.work.values(), key=lambda each: (-each.priority, each.id)):
            if item.is_queued and self._may_start(item) and self._place(item):
                is_lent = self.places.get(item.id) == "lent"
                self._set(item, state="running", run_s=1, is_lent=is_lent)
                self._set(item, depends=False, has_begin=False)

    def _may_start(self, item: Work) -> bool:
        begins, after = self.waits.get(item.id, (0, ""))
        used = self.used(item.group)
        tasks = sum(each.array == item.array for each in self.running()) if item.array else 0
        return (
            not item.is_held
            and self.now.timestamp() >= begins
            and after not in self.work
            and self.ceiling.admits(used + item.amount)
            and not (item.array and tasks >= item.running_max)
        )

    def _place(self, item: Work) -> bool:
        if not item.is_job:
            return True
        free = self.free_by_node()
        fitting = [name for name in NODES if free[name] >= item.amount.gpu_milli // GPU]
        lends = self.untouched() - 1 >= item.amount.gpu_milli // GPU
        self.places[item.id] = fitting[0] if fitting else "lent"
        return bool(fitting) or lends

    def _pass_time(self) -> None:
        self.now += timedelta(seconds=ROUND_S)
        for item in list(self.work.values()):
            run_s = item.run_s + ROUND_S if item.state == "running" else 0
            wait_s = item.wait_s + ROUND_S if item.is_queued else 0
            self._set(item, age_s=item.age_s + ROUND_S, run_s=run_s, wait_s=wait_s)
            if item.is_job and run_s >= self.ends[item.id]:
                del self.work[item.id]

    def _add(self, work: Work) -> None:
        self.work[work.id] = work

    def _set(self, work: Work, **changes: object) -> None:
        self.work[work.id] = replace(self.work[work.id], **changes)  # type: ignore[arg-type]

    def _name(self) -> str:
        self.count += 1
        return f"work-{self.count:05}"
