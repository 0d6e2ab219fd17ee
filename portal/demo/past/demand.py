"""Who asks for what, and when: the same for the same seed."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from portal.demo.past.plan import (
    DAY,
    HOUR,
    MINUTE,
    Draw,
    Ending,
    Fate,
    Lab,
    PastJob,
    PastNotebook,
    Session,
)
from portal.demo.past.projects import NOTEBOOKS, PROJECTS, VARIANTS

DEMAND: Final = 0.92
"""LabCard-hours of all jobs, in parts of what the lab has: some work always waits."""
BACKLOG_DAYS: Final = 0.5
"""What waits when the past begins, in days of the whole lab."""
LENGTH: Final = 1.45
"""All projects run so much longer than their mean says."""
DAY_WEIGHTS: Final = (10, 10, 10, 10, 10, 7, 6)
"""How much is submitted on each day of the week."""
HOUR_WEIGHTS: Final = (
    *(2, 1, 1, 1, 1, 1, 1, 2, 5, 12, 15, 13),
    *(7, 9, 14, 14, 13, 12, 11, 8, 7, 7, 6, 4),
)
OUTAGES: Final = 2
"""How often a node is lost."""
STOPPING_S: Final = 4
"""From the order to stop until the containers are gone."""
NOTEBOOKS_PER_CARD: Final = 3.8
"""Notebooks that are made in a week, by cards of their pool."""

_FATES: Final[Sequence[tuple[int, Fate, tuple[float, float]]]] = (
    (760, Fate(Ending.SUCCEEDED, 0), (1, 1)),
    (55, Fate(Ending.CANCELLED, None, "requested"), (0.05, 0.8)),
    (30, Fate(Ending.FAILED, 1, "exited", "cuda_out_of_memory"), (0.004, 0.06)),
    (28, Fate(Ending.FAILED, 1, "exited", "file_not_found"), (0.002, 0.02)),
    (22, Fate(Ending.FAILED, 1, "exited", "shape_mismatch"), (0.004, 0.05)),
    (18, Fate(Ending.FAILED, 1, "exited", "module_not_found"), (0.002, 0.01)),
    (20, Fate(Ending.FAILED, 1, "exited", "loss_is_nan"), (0.1, 0.7)),
    (10, Fate(Ending.FAILED, 137, "out_of_memory", "killed"), (0.05, 0.9)),
    (6, Fate(Ending.FAILED, 134, "exited", "nccl_timeout"), (0.1, 0.9)),
    (22, Fate(Ending.RETRIED, 1, "exited", "dataloader_died"), (0.05, 0.6)),
    (29, Fate(Ending.EXPIRED, None, "time_limit"), (1, 1)),
)
"""How often jobs end so, and after which part of their length."""


def draw_jobs(lab: Lab) -> list[PastJob]:
    """Return all jobs, in the order of their submission."""
    draw = Draw(f"{lab.seed}/jobs")
    amount = DEMAND * len(lab.cards) * lab.length_s
    backlog = BACKLOG_DAYS * len(lab.cards) * DAY
    when = _moments(lab, draw)
    largest = _largest(lab)
    jobs: list[PastJob] = []
    asked = 0.0
    while asked < amount + backlog:
        moment = draw.randrange(2 * HOUR) if asked < backlog else when()
        owner, group = draw.choice(lab.people)
        job = _draw_job(draw, len(jobs), owner, group, moment, largest)
        jobs.append(job)
        asked += job.cards * job.length_s
    return sorted(jobs, key=lambda job: (job.submitted_s, job.number))


def _largest(lab: Lab) -> int:
    """Return how many cards of one node a job may ask for."""
    nodes = [card.node for card in lab.cards]
    return min(max((nodes.count(node) for node in nodes), default=0), lab.ceiling)


def _moments(lab: Lab, draw: Draw) -> Callable[[], int]:
    """Return a function that draws the moment of a submission."""
    hours = range(lab.length_s // HOUR)
    weights = []
    for hour in hours:
        minute = lab.minute_of_week(hour * HOUR)
        weights.append(DAY_WEIGHTS[minute // (24 * 60)] * HOUR_WEIGHTS[minute // 60 % 24])
    stock = iter(())  # type: Iterator[int]

    def next_moment() -> int:
        nonlocal stock
        hour = next(stock, None)
        if hour is None:
            stock = iter(draw.choices(hours, weights, k=500))
            hour = next(stock)
        return hour * HOUR + draw.randrange(HOUR)

    return next_moment


def _draw_job(
    draw: Draw, number: int, owner: str, group: str, moment: int, largest: int
) -> PastJob:
    possible = [project for project in PROJECTS[group] if project.gpus <= largest]
    project = draw.choices(possible, [each.weight for each in possible])[0]
    weights = [weight for weight, *_ in _FATES]
    _, fate, (low, high) = draw.choices(_FATES, weights)[0]
    whole_s = int(LENGTH * project.hours * HOUR * draw.lognormvariate(-0.08, 0.42))
    length_s = max(40, int(whole_s * draw.uniform(low, high)))
    limit_s = -(-2 * whole_s // HOUR) * HOUR
    if fate.ending is Ending.EXPIRED:
        limit_s = max(1, whole_s // HOUR) * HOUR
        length_s = limit_s + STOPPING_S
    waits_badly = draw.random() < 0.04
    return PastJob(
        number=number,
        owner=owner,
        group=group,
        project=project,
        name=f"{project.name}{draw.choice(VARIANTS)}",
        submitted_s=moment,
        length_s=length_s,
        limit_s=limit_s,
        preemptible=draw.random() < 0.85,
        fate=fate,
        gives_up_s=moment + int(draw.uniform(0.2, 5) * HOUR) if waits_badly else None,
    )


def draw_notebooks(lab: Lab) -> list[PastNotebook]:
    """Return the notebooks with the times at which their owners want to work, in order."""
    draw = Draw(f"{lab.seed}/notebooks")
    shared = sum(card.slices > 1 for card in lab.cards)
    weeks = lab.length_s / (7 * DAY)
    count = round(NOTEBOOKS_PER_CARD * shared * weeks)
    found = []
    for number in range(count):
        owner, group = draw.choice(lab.people)
        begins = draw.randrange(max(1, lab.length_s // DAY))
        sessions = list(_sessions(lab, draw, begins, draw.choice((1, 1, 2, 3, 4, 5))))
        if sessions:
            name = f"{draw.choice(PROJECTS[group]).name.split('-')[0]}-{draw.choice(NOTEBOOKS)}"
            slices = draw.choice((1, 1, 1, 2, 2, 4))
            use_pct = draw.randint(10, 40)
            found.append(PastNotebook(number, owner, group, name, slices, use_pct, sessions))
    return sorted(found, key=lambda each: (each.sessions[0].begins_s, each.number))


def _sessions(lab: Lab, draw: Draw, first: int, count: int) -> Iterator[Session]:
    """Yield the times of a notebook on the working days from one day on."""
    midnight_s = -(lab.first_minute % (24 * 60)) * MINUTE
    for day in range(first, first + count):
        comes = midnight_s + day * DAY + int(draw.gauss(9.8, 1.1) * HOUR)
        goes = comes + int(max(0.6, draw.gauss(7.6, 2.2)) * HOUR)
        is_weekend = lab.minute_of_week(max(comes, 0)) >= 5 * 24 * 60
        is_left_open = draw.random() < 0.3
        if is_left_open:
            goes += int(draw.uniform(1, 2) * HOUR)
        goes = min(goes, midnight_s + (day + 1) * DAY + 2 * HOUR)
        ending = Ending.IDLE if is_left_open else Ending.CLOSED
        if comes > 0 and comes < lab.length_s - HOUR and (not is_weekend or draw.random() < 0.12):
            yield Session(comes, goes, ending)


def draw_outages(lab: Lab) -> Iterator[tuple[str, int, int]]:
    """Yield which node is not heard, from when to when."""
    draw = Draw(f"{lab.seed}/outages")
    nodes = sorted({card.node for card in lab.cards})
    days = lab.length_s // DAY
    for number in range(OUTAGES if days > 2 else 0):
        day = days * (2 * number + 1) // (2 * OUTAGES)
        begins = day * DAY + draw.randrange(DAY)
        yield draw.choice(nodes), begins, begins + draw.randint(15, 45) * MINUTE
