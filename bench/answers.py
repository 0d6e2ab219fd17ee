"""What answers of REST cost on a large site: those behind every page, of each chart, and the reports.

Each goes through the whole stack of the web process in this one (middleware, session, rights, PostgreSQL
with durable commits, JSON), but for the sockets. CPU is of this process and of PostgreSQL with all its
sessions, so that other work of the machine changes little; wall time is beside it.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from time import perf_counter, process_time
from typing import Any, Final

from bench.figures import pace_ms
from bench.large_site import LargeSite

CPU_MS_MAX: Final = 60.0
"""Of the process and PostgreSQL, 95 of 100 answers behind a page or a chart."""
ROUNDS: Final = 20
TRIES: Final = 4
"""Series of calls, at most, until one keeps what is promised."""
RANGES: Final = {
    "15 min": timedelta(minutes=15),
    "1 h": timedelta(hours=1),
    "6 h": timedelta(hours=6),
    "24 h": timedelta(days=1),
    "7 d": timedelta(days=7),
    "30 d": timedelta(days=30),
    "90 d": timedelta(days=90),
    "1 y": timedelta(days=365),
    "3 y": timedelta(days=3 * 365),
}
DAYS: Final = 90
USAGE: Final = {
    "total": "",
    "by group": "&group_by=group",
    "by user": "&group_by=user",
    "by model": "&group_by=model",
    "chart by user": "&group_by=user&granularity=week&top=7",
    "chart by group": "&group_by=group&granularity=week&top=7",
}
KEPT: Final = tuple(f"/api/v1/overview{part}" for part in ("", "/near-limits", "/recent"))
"""Answers of which a part is kept; Celery refreshes it but for the last 24 hours of somebody's own groups."""

Question = tuple[str, str, str]
"""Its name, who asks, and what."""
Cost = dict[str, float]
Series = Callable[[], Cost]


def chart_questions(site: LargeSite, ranges: int) -> Iterator[Question]:
    """Yield each chart over each range that pages offer, the first so many."""
    from portal.common.clock import now  # noqa: PLC0415 - after `prepared`

    subjects = {
        "GPU": ("operator", f"card={site.card}"),
        "node of 8 GPUs": ("operator", f"node={site.node}"),
        "pool": ("administrator", f"pool={site.pool}"),
        "cluster": ("administrator", "cluster=true"),
        "job of 64 ranks": ("member", f"workload={site.wide_job}"),
    }
    for subject, (role, query) in subjects.items():
        for name, length in list(RANGES.items())[:ranges]:
            since = (now() - length).strftime("%Y-%m-%dT%H:%M:%SZ")
            yield f"{subject}, {name}", role, f"/api/v1/telemetry?{query}&since={since}"


def usage_questions(site: LargeSite) -> Iterator[Question]:
    """Yield what the pages of usage ask about the last months."""
    last = _last_day()
    days = f"first_day={last - timedelta(days=DAYS)}&last_day={last}"
    for name, query in USAGE.items():
        yield f"usage {name}", "administrator", f"/api/v1/usage?{days}{query}"
    yield "waits", "administrator", f"/api/v1/usage/waits?{days}"
    yield "energy of a work", "member", f"/api/v1/usage/workloads/{site.ended_job}"


def report_costs(site: LargeSite) -> dict[str, Cost]:
    """Return what a month's report costs as page, CSV and PDF; each is asked for once before."""
    month = (_last_day() - timedelta(days=40)).isoformat()[:7]
    address, client = f"/api/v1/usage/report?month={month}", site.people["administrator"]
    kinds = {"page": "", "CSV": "&format=csv", "PDF": "&format=pdf"}
    return {name: series_of(client, f"{address}{query}", 2)() for name, query in kinds.items()}


def series_of(client: Any, address: str, rounds: int, *, is_kept: bool = True) -> Series:
    """Return what asks so many times and finds what one answer costs.

    Unless `is_kept`, what answers keep for a while is discarded before each, but for what Celery refreshes.
    """
    return partial(_measure, client, address, rounds=rounds, is_kept=is_kept)


def series_of_questions(
    site: LargeSite, questions: Iterator[Question], rounds: int
) -> dict[str, Series]:
    """Return the series of each question by its name."""
    return {
        name: series_of(site.people[role], address, rounds) for name, role, address in questions
    }


def series_anew(site: LargeSite, rounds: int) -> dict[str, Series]:
    """Return the series of answers of which a part is kept otherwise."""
    return {
        f"{role} {address}, anew": series_of(client, address, rounds, is_kept=False)
        for role, client in site.people.items()
        for address in KEPT
        if role in ("administrator", "head")
    }


def ask(parts: Mapping[str, Mapping[str, Series]]) -> dict[str, dict[str, Cost]]:
    """Return what each answer costs, by its part and name: the cheapest of up to `TRIES` series.

    A shared machine is half as fast for seconds or minutes: answers above what is promised are asked
    again after all others, and the pace of the machine stands beside each.
    """
    found = {
        part: {name: _with_pace(series, 1) for name, series in named.items()}
        for part, named in parts.items()
    }
    for tries in range(2, TRIES + 1):
        for part, costs in found.items():
            for name, cost in costs.items():
                if cost["CPU p95 ms"] > CPU_MS_MAX:
                    again = _with_pace(parts[part][name], tries)
                    cheaper = min(cost, again, key=lambda each: each["CPU p95 ms"])
                    costs[name] = {**cheaper, "tries": float(tries)}
    return found


def _with_pace(series: Series, tries: int) -> Cost:
    return {**series(), "pace ms": pace_ms(1), "tries": float(tries)}


def _measure(client: Any, address: str, *, rounds: int, is_kept: bool) -> Cost:
    """Return what one answer costs; the CPU of PostgreSQL is known as a mean only."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    from bench.spent import postgres_s  # noqa: PLC0415

    _forget_requests()
    _get(client, address)
    with CaptureQueriesContext(connection) as captured:
        answer = _get(client, address)
    statements = float(len(captured))
    own, walls, refreshes_s, database = [], [], 0.0, postgres_s()
    for _ in range(rounds):
        if not is_kept:
            refresh = postgres_s()
            _forget_answers()
            refreshes_s += postgres_s() - refresh
        began, wall = process_time(), perf_counter()
        _get(client, address)
        own.append(1000 * (process_time() - began))
        walls.append(1000 * (perf_counter() - wall))
    in_database = 1000 * (postgres_s() - database - refreshes_s) / rounds
    p95 = max(rounds * 95 // 100 - 1, 0)
    return {
        "CPU p95 ms": sorted(own)[p95] + in_database,
        "own CPU ms": sum(own) / rounds,
        "PostgreSQL CPU ms": in_database,
        "wall p95 ms": sorted(walls)[p95],
        "statements": statements,
        "bytes": float(len(answer.content)),
    }


def _forget_answers() -> None:
    from django.core.cache import cache  # noqa: PLC0415 - after `prepared`

    from portal.overview.tasks import refresh_live_facts, refresh_recent_use  # noqa: PLC0415

    cache.clear()
    refresh_live_facts()
    refresh_recent_use()


def _forget_requests() -> None:
    """Let one person ask more in a minute than anybody may."""
    from portal.common.redis_client import get_redis_client  # noqa: PLC0415 - after `prepared`

    redis = get_redis_client()
    for key in redis.scan_iter("berth:rate:*"):
        redis.delete(key)


def _get(client: Any, address: str) -> Any:
    answer = client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address}: {answer.content[:500]!r}")
    return answer


def _last_day() -> Any:
    from portal.common.clock import now  # noqa: PLC0415 - after `prepared`

    return now().date()
