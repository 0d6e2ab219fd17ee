"""Every rule on a few dozen worlds, and each on a planted bug that it must notice."""

from collections.abc import Sequence

import pytest

from tests.scheduler.promises.bugs import BUGS, OPEN_END_BUGS, Bug
from tests.scheduler.promises.checkers import RULES, Rule
from tests.scheduler.promises.history import Story
from tests.scheduler.promises.open_end_checkers import OPEN_END_RULES
from tests.scheduler.promises.open_worlds import make_open_world
from tests.scheduler.promises.play import play
from tests.scheduler.promises.worlds import make_world

BLOCK, BLOCKS, OPEN_BLOCKS = 8, 8, 3
BY_NAME = {rule.__name__: rule for rule in (*RULES, *OPEN_END_RULES)}


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_rule_holds(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        story = Story(play(make_world(seed)))
        assert not _broken(story), f"seed {seed}"


@pytest.mark.parametrize("block", range(OPEN_BLOCKS))
def test_every_rule_holds_with_open_ends(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        story = Story(play(make_open_world(seed), explained=True))
        assert not _broken(story, (*RULES, *OPEN_END_RULES)), f"seed {seed}"


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_noticed(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)

    assert any(_breaks(BY_NAME[bug.breaks], seed) for seed in bug.seeds)


@pytest.mark.parametrize("bug", OPEN_END_BUGS, ids=lambda bug: f"{bug.name}-{bug.breaks}")
def test_planted_bug_of_open_ends_is_noticed(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    rule = BY_NAME[bug.breaks]

    assert any(any(rule(Story(play(make_open_world(seed), explained=True)))) for seed in bug.seeds)


def test_every_rule_has_a_bug() -> None:
    assert {bug.breaks for bug in (*BUGS, *OPEN_END_BUGS)} == set(BY_NAME)


def test_a_world_is_played_the_same_way_again() -> None:
    first, second = (play(make_world(4)) for _ in range(2))

    assert first.attempts == second.attempts
    assert [each.plan for each in first.passes] == [each.plan for each in second.passes]


def _broken(story: Story, rules: Sequence[Rule] = RULES) -> list[str]:
    return [f"{rule.__name__}: {found}" for rule in rules for found in rule(story)]


def _breaks(rule: Rule, seed: int) -> bool:
    return any(rule(Story(play(make_world(seed)))))
