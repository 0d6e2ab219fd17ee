"""The plan of a past, for many labs: nothing is held twice, and every life is a legal one."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.demo.organisation import TEAMS
from portal.demo.past.log_texts import ERRORS, log_lines
from portal.demo.past.placer import make_past
from portal.demo.past.plan import (
    DAY,
    HOUR,
    Ending,
    Lab,
    LabCard,
    LabPast,
    PastJob,
    PastNotebook,
    Step,
)
from portal.demo.past.steps import job_steps, notebook_steps
from scheduler.core.model.states import TERMINAL, WorkloadState, is_legal_transition

NODES = ("gpu-dev-1", "gpu-train-1", "gpu-dev-2", "gpu-train-2")
PEOPLE = tuple((name, team.name) for team in TEAMS for name in team.people)


def a_lab(*, nodes: int = 4, days: int = 8, seed: int = 1, first_minute: int = 0) -> Lab:
    cards = [LabCard(node, 8 if "dev" in node else 1) for node in NODES[:nodes] for _ in range(8)]
    ceiling = min(24, len(cards) * 3 // 4)
    return Lab(cards, PEOPLE, days * DAY + 5 * HOUR, first_minute, ceiling, seed)


def work_of(past: LabPast) -> Sequence[PastJob | PastNotebook]:
    return [*past.jobs, *past.notebooks]


def steps_of(lab: Lab, work: PastJob | PastNotebook) -> list[Step]:
    return job_steps(lab, work) if isinstance(work, PastJob) else notebook_steps(lab, work)


def holders(past: LabPast) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Yield each slot of a card with the time for which an attempt held it."""
    for work in work_of(past):
        for attempt in work.attempts:
            for rank in attempt.ranks:
                for held in rank:
                    for slot in held.slots:
                        yield (held.card, slot), attempt.placed_s, attempt.ends_s


labs = st.builds(
    a_lab,
    nodes=st.integers(1, 4),
    days=st.integers(1, 10),
    seed=st.integers(0, 10_000),
    first_minute=st.integers(0, 7 * 24 * 60 - 1),
)


@settings(max_examples=20)
@given(labs)
def test_no_slot_of_a_card_is_held_twice(lab: Lab) -> None:
    by_slot = defaultdict(list)
    for slot, begins, ends in holders(make_past(lab)):
        assert 0 <= begins < ends < lab.length_s
        by_slot[slot].append((begins, ends))
    for (card, number), times in by_slot.items():
        assert number < lab.cards[card].slices
        in_order = sorted(times)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(in_order))


@settings(max_examples=20)
@given(labs)
def test_ranks_have_what_the_job_asks_for_on_one_node_each(lab: Lab) -> None:
    for job in make_past(lab).jobs:
        for attempt in job.attempts:
            assert len(attempt.ranks) == job.project.ranks
            for rank in attempt.ranks:
                assert len({held.card for held in rank}) == job.project.gpus
                assert len({lab.cards[held.card].node for held in rank}) == 1
                assert all(len(held.slots) == lab.cards[held.card].slices for held in rank)


@settings(max_examples=20)
@given(labs)
def test_every_life_is_legal_in_order_and_over(lab: Lab) -> None:
    past = make_past(lab)
    for work in work_of(past):
        steps = steps_of(lab, work)
        assert (steps[0].source, steps[0].target) == ("", WorkloadState.QUEUED)
        for one, other in itertools.pairwise(steps):
            assert other.source == one.target
            assert is_legal_transition(WorkloadState(other.source), other.target)
            assert one.at_s <= other.at_s
            assert one.epoch <= other.epoch <= one.epoch + 1
        assert steps[-1].target in TERMINAL
        assert steps[-1].at_s < lab.length_s
        assert steps[-1].epoch == len(work.attempts)


@settings(max_examples=10)
@given(labs)
def test_no_group_holds_more_than_its_ceiling(lab: Lab) -> None:
    changes: list[tuple[int, int, str]] = []
    for job in make_past(lab).jobs:
        for attempt in job.attempts:
            changes += [
                (attempt.placed_s, job.cards, job.group),
                (attempt.ends_s, -job.cards, job.group),
            ]
    held: defaultdict[str, int] = defaultdict(int)
    for _, change, group in sorted(changes):
        held[group] += change
        assert held[group] <= lab.ceiling


def test_the_same_seed_is_the_same_past() -> None:
    lab, other = a_lab(seed=5), a_lab(seed=6)

    assert make_past(lab) == make_past(lab)
    assert make_past(lab) != make_past(other)


def test_the_lab_of_make_run_is_as_busy_as_in_the_story() -> None:
    lab = a_lab(days=35)
    past = make_past(lab)

    slot_s = sum(
        (ends - begins) / lab.cards[card].slices for (card, _), begins, ends in holders(past)
    )
    assert 21.5 <= slot_s / len(lab.cards) / lab.length_s * 24 <= 24
    assert 1_300 <= len(past.jobs) <= 1_800
    assert 250 <= len(past.notebooks) <= 350
    endings = {attempt.ending for job in past.jobs for attempt in job.attempts}
    assert endings == set(Ending) - {Ending.IDLE, Ending.CLOSED}
    causes = {a.cause for job in past.jobs for a in job.attempts if a.ending is Ending.EVICTED}
    assert causes == {"called_back", "reclaimed"}
    assert {job.cards for job in past.jobs} == {1, 2, 4, 8, 16}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_past_ends_as_busy_as_it_was(seed: int) -> None:
    lab = a_lab(seed=seed)
    past = make_past(lab)

    def held_at(moment: int) -> float:
        return sum(
            1 / lab.cards[card].slices
            for (card, _), begins, ends in holders(past)
            if begins <= moment < ends
        )

    before = held_at(lab.length_s - 600)
    assert before >= len(lab.cards) / 2
    assert held_at(lab.length_s - 61) >= 0.8 * before
    assert held_at(lab.length_s - 1) == 0


def test_failed_jobs_say_why_in_their_logs() -> None:
    past = make_past(a_lab(days=20))
    failed = [job for job in past.jobs if job.attempts and job.fate.ending is Ending.FAILED]

    assert {job.fate.error for job in failed} == ERRORS.keys() - {"dataloader_died"}
    for job in failed:
        attempt = job.attempts[-1]
        if attempt.ending is Ending.FAILED and job.fate.error not in ("killed", "nccl_timeout"):
            lines = list(log_lines(job, attempt))
            assert any(line.text.startswith("Traceback") for line in lines)
            assert [line.at_s for line in lines] == sorted(line.at_s for line in lines)
