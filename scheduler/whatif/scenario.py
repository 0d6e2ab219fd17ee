"""A scenario file: the site, its people and what they need, and the two sets of rules to compare.

Every key of the file is a field here, with its meaning; `scenarios/aistation.toml` shows them all.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.site_clock import SiteClock
from scheduler.whatif.form import TableError, parse_day_of_week, parse_minute_of_day, read_table

FOLDER: Final = Path(__file__).parent / "scenarios"
WORKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri")
CLOCK: Final = SiteClock(utc_offset_min=480)
"""Scenarios are written in local time, without daylight saving."""


@dataclass(frozen=True, slots=True)
class ScenarioSite:
    """The servers, all equal."""

    nodes: int
    gpus_per_node: int
    model: str = "V100"
    gpu_memory_mib: int = 32768
    cpu_per_node: int = 96
    memory_gib_per_node: int = 512

    @property
    def gpus(self) -> int:
        """The number of all cards."""
        return self.nodes * self.gpus_per_node


@dataclass(frozen=True, slots=True)
class Busy:
    """How busy a held card is, in percent."""

    notebook_pct: int
    """By one notebook, alone or beside others; eight on a card make it eight times as busy."""
    training_pct: int
    """By a training task, while it computes; 0 while it starts or restarts."""

    def __post_init__(self) -> None:
        """Refuse what is not a percentage."""
        if not (0 <= self.notebook_pct <= 100 and 0 <= self.training_pct <= 100):
            raise ValueError("notebook_pct and training_pct must be from 0 to 100")


@dataclass(frozen=True, slots=True)
class People:
    """A group: when its members arrive and leave, and what they need."""

    group: str
    members: int
    notebook: bool = True
    """Each member opens one on arrival and closes it on leaving."""
    arrive: tuple[str, ...] = ("08:30", "10:00")
    """Drawn for each day, evenly between these times."""
    stay_hours: float = 8.2
    stay_jitter_minutes: int = 30
    heavy_members: int = 0
    """So many of them use two slices instead of one."""
    tasks_per_week: int = 0
    """Of each member; submitted on `task_days`, while present."""
    task_hours: float = 12.0
    task_gpus: int = 1
    task_ranks: int = 1
    task_days: tuple[str, ...] = WORKDAYS
    checkpoint_minutes: int = 30
    preemptible: bool = True

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        if len(self.arrive) != 2:
            raise ValueError("arrive must be two times")
        first, last = (parse_minute_of_day(text) for text in self.arrive)
        longest = last + self.stay_hours * 60 + self.stay_jitter_minutes
        if not first <= last or self.stay_hours <= 0 or longest >= 24 * 60:
            raise ValueError("they must arrive before they leave, and leave before midnight")
        if self.members < 1 or not 0 <= self.heavy_members <= self.members:
            raise ValueError("members must be at least 1 and heavy_members among them")
        if min(self.tasks_per_week, self.stay_jitter_minutes) < 0 or self.task_hours <= 0:
            raise ValueError("tasks and minutes must not be negative, tasks not without length")
        if min(self.task_gpus, self.task_ranks, self.checkpoint_minutes) < 1:
            raise ValueError("task_gpus, task_ranks and checkpoint_minutes must be at least 1")
        if not self.task_days or any(
            parse_day_of_week(day) >= len(WORKDAYS) for day in self.task_days
        ):
            raise ValueError("task_days must name some of Mon to Fri")


@dataclass(frozen=True, slots=True)
class ScenarioPool:
    """Some of the nodes, and the rules on them."""

    name: str
    nodes: int
    serves: tuple[str, ...]
    """`notebooks`, `tasks` or both."""
    groups: tuple[str, ...] = ()
    """The groups that use it; empty is all. Members with several pools are spread over them."""
    slices: int = 1
    """Into how many slices each card is cut; a notebook takes one, or a whole card of 1."""
    slice_mib: int = 0
    policy: PoolPolicy = field(default_factory=PoolPolicy)
    """The engine's own knobs; what is not named is the product's default."""

    def __post_init__(self) -> None:
        """Refuse pools that cannot be used."""
        if not self.serves or set(self.serves) - {"notebooks", "tasks"}:
            raise ValueError("serves must name notebooks, tasks or both")
        if self.nodes < 1 or self.slices not in {1, 2, 4, 5, 8, 10}:
            raise ValueError("nodes must be at least 1 and slices one of 1, 2, 4, 5, 8, 10")


@dataclass(frozen=True, slots=True)
class Regime:
    """One set of rules."""

    title: str
    pools: tuple[ScenarioPool, ...]
    by_hand: bool = False
    """There is no queue: a task is started by its owner on leaving, one a day, on a card that is free
    at that moment, or not at all."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One demand, simulated under two regimes."""

    title: str
    site: ScenarioSite
    busy: Busy
    people: tuple[People, ...]
    before: Regime
    after: Regime
    about: tuple[str, ...] = ()
    """Assumptions, printed beside the figures."""
    weeks: int = 4
    """Measured weeks."""
    settle_weeks: int = 1
    """Weeks before them that are not measured."""
    seed: int = 1
    start_seconds: int = 60
    """From a task's start to its first useful second; its card is not busy."""
    restart_seconds: int = 180
    """The same after an eviction, to load the checkpoint."""

    def __post_init__(self) -> None:
        """Refuse regimes that do not fit the site or leave a group without a pool."""
        if self.weeks < 1 or self.settle_weeks < 0 or not self.people:
            raise ValueError("weeks must be at least 1, settle_weeks not negative, people some")
        if min(self.start_seconds, self.restart_seconds) < 0:
            raise ValueError("start_seconds and restart_seconds must not be negative")
        for name, regime in (("before", self.before), ("after", self.after)):
            if sum(pool.nodes for pool in regime.pools) != self.site.nodes:
                raise ValueError(f"the pools of {name} must have {self.site.nodes} nodes together")
            for people in self.people:
                for need in needs_of(people):
                    if not pools_for(regime, people.group, need):
                        raise ValueError(f"{name} has no pool for the {need} of {people.group}")


def needs_of(people: People) -> tuple[str, ...]:
    """Return what a group needs pools for."""
    needs = (("notebooks", people.notebook), ("tasks", people.tasks_per_week > 0))
    return tuple(name for name, needed in needs if needed)


def pools_for(regime: Regime, group: str, need: str) -> tuple[ScenarioPool, ...]:
    """Return the pools that serve this need of the group."""
    return tuple(
        pool
        for pool in regime.pools
        if need in pool.serves and (not pool.groups or group in pool.groups)
    )


def load_scenario(name: str) -> Scenario:
    """Read a scenario by its name, or from the file of that path.

    Raises:
        ValueError: there is none, it is not TOML, or a key is wrong; one line that names it.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.toml")))
        raise TableError(f"no scenario {name}; known are {known}, or give a .toml file")
    try:
        form = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TableError(f"{path.name}: {error}") from error
    try:
        return read_table(Scenario, form, "")
    except TableError as error:
        raise TableError(f"{path.name}: {error}") from error
