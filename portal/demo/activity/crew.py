"""Who of the demo acts: everybody but those whom `docs/users` shows at work; pure."""

from collections import Counter
from collections.abc import Collection
from random import Random
from typing import Final

from portal.demo.activity.world import Work, World
from portal.demo.organisation import TEAMS

WALKERS: Final = frozenset({"li.wei", "wang.fang", "zhang.min", "song.yu"})
"""Their own work stays theirs alone."""
WORK_MAX: Final = 3
"""What one person has at once."""


class Crew:
    """The people of each group, with what they have now."""

    def __init__(self, world: World, gone: Collection[str] = ()) -> None:
        """`gone` is work that its owners leave in this round: it is not taken up again at once."""
        self._work = world.work
        self._gone = gone
        self._load = Counter(item.owner for item in world.work if not item.is_suspended)
        self._by_group = {
            team.name: tuple(name for name in team.people if name not in WALKERS) for team in TEAMS
        }

    def pick(self, group: str, rng: Random) -> str | None:
        """Return somebody of the group who has little to do; None if all are busy."""
        free = [name for name in self._by_group[group] if self._load[name] < WORK_MAX]
        return self._take(rng.choice(free)) if free else None

    def head(self, group: str) -> str:
        """Return the administrator of the group, who may submit urgent work."""
        return self._take(self._by_group[group][0])

    def newcomer(self, group: str, pool: str, rng: Random) -> str | None:
        """Return somebody without a notebook in the pool; None if all have one."""
        having = {item.owner for item in self._notebooks(pool)}
        free = [name for name in self._by_group[group] if name not in having]
        return self._take(rng.choice(free)) if free else None

    def find_left(self, pool: str) -> list[Work]:
        """Return the notebooks of the pool that their owners have left before."""
        return [
            item
            for item in self._notebooks(pool)
            if item.is_suspended and item.id not in self._gone
        ]

    def _notebooks(self, pool: str) -> list[Work]:
        return [item for item in self._work if not item.is_job and item.pool == pool]

    def _take(self, name: str) -> str:
        self._load[name] += 1
        return name
