"""Pooled connections after a restart of PostgreSQL, and what the client hears meanwhile."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from threading import Barrier
from typing import Any, ClassVar

import psycopg
import pytest
from django.db import DataError, InterfaceError, InternalError, OperationalError, connection
from django.test import RequestFactory
from psycopg.errors import ReadOnlySqlTransaction

from portal.common.clock import SHARED, now
from portal.common.postgresql.base import DatabaseWrapper, _adapters, follow_time
from portal.common.rest.problems import handle_server_error, to_problem
from portal.common.shared_clock import SharedClock
from tests.builders.people import a_group
from tests.pooled import borrowed_connections
from tests.rest import problem_of, stranger
from tests.waiting import wait_until

POOLED = 4
pytestmark = pytest.mark.django_db


class OwnPool(DatabaseWrapper):
    """Connections as threads have them, on a pool that nobody else uses."""

    _connection_pools: ClassVar[dict[str, Any]] = {}


@pytest.fixture
def wrappers() -> Iterator[list[OwnPool]]:
    """Return one wrapper for each connection of a pool that is full."""
    settings: Any = {**connection.settings_dict, "CONN_MAX_AGE": 0}
    settings["OPTIONS"] = {
        **settings["OPTIONS"],
        "pool": {"min_size": 1, "max_size": POOLED, "timeout": 10, "reconnect_timeout": 1},
    }
    made = [OwnPool(settings) for _ in range(POOLED)]
    for wrapper in made:
        wrapper.inc_thread_sharing()
    _fill(made)
    yield made
    for wrapper in made:
        wrapper.close()
    made[0].close_pool()


def _backend(wrapper: OwnPool) -> int:
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return int(pid)


def _fill(wrappers: list[OwnPool]) -> set[int]:
    """Use all connections at the same time, give them back, and return whose they are."""
    ready = Barrier(len(wrappers))

    def use(wrapper: OwnPool) -> int:
        pid = _backend(wrapper)
        ready.wait(timeout=30)
        wrapper.close()
        return pid

    with ThreadPoolExecutor(len(wrappers)) as threads:
        return set(threads.map(use, wrappers))


def test_f1_no_dead_connection_answers_after_a_restart(wrappers: list[OwnPool]) -> None:
    dead = _fill(wrappers)
    assert len(dead) == POOLED
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 5000) FROM unnest(%s) pid", [list(dead)])
        assert cursor.fetchall() == [(True,)] * POOLED
    for wrapper in wrappers:
        assert _backend(wrapper) not in dead
        wrapper.close()


def test_f1_many_callers_at_once_meet_no_dead_connection(wrappers: list[OwnPool]) -> None:
    dead = _fill(wrappers)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 5000) FROM unnest(%s) pid", [list(dead)])
    assert not _fill(wrappers) & dead


@pytest.fixture
def followed() -> Iterator[SharedClock]:
    """Go by the clock of PostgreSQL, as processes of the product do."""
    follow_time()
    yield SHARED
    SHARED.follow(None)


def test_a_connection_tells_the_time_when_it_is_taken(
    wrappers: list[OwnPool], followed: SharedClock
) -> None:
    assert followed.is_reading_due()
    _backend(wrappers[0])
    assert not followed.is_reading_due()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        ((said,),) = cursor.fetchall()
    assert said <= now() + timedelta(seconds=1)
    assert now() - said < timedelta(minutes=1)


def test_thread_that_asks_for_the_time_keeps_no_connection(followed: SharedClock) -> None:
    before = borrowed_connections()
    with ThreadPoolExecutor(1) as thread:
        thread.submit(now).result()
        assert not followed.is_reading_due()
        wait_until(lambda: borrowed_connections() <= before)


def test_a_connection_that_has_ended_tells_no_time(
    wrappers: list[OwnPool], followed: SharedClock
) -> None:
    dead = _fill(wrappers)
    followed.follow(lambda: None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 5000) FROM unnest(%s) pid", [list(dead)])
    assert _backend(wrappers[0]) not in dead
    assert not followed.is_reading_due()


async def test_an_event_loop_waits_for_no_connection_to_know_the_time(
    followed: SharedClock,
) -> None:
    assert followed.now() - SharedClock().now() < timedelta(minutes=1)
    assert followed.is_reading_due()


def _read_only() -> InternalError:
    error = InternalError("cannot execute UPDATE in a read-only transaction")
    error.__cause__ = ReadOnlySqlTransaction()
    return error


@pytest.mark.parametrize(
    "error", [OperationalError("shutdown"), InterfaceError("closed"), _read_only()]
)
def test_a_database_that_is_away_is_busy_never_a_fault(error: Exception) -> None:
    problem = to_problem(error)
    assert problem is not None
    assert (problem.status, problem.code) == (503, "busy")
    assert dict(problem.headers)["Retry-After"]


def test_a_fault_of_ours_in_the_database_is_not_dressed_up() -> None:
    assert to_problem(InternalError("current transaction is aborted")) is None


def test_a_write_while_postgresql_fails_over_is_busy() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")
    with pytest.raises(InternalError) as refused:
        a_group()
    problem = to_problem(refused.value)
    assert problem is not None
    assert problem.status == 503


def test_f1_sign_in_without_a_database_is_busy() -> None:
    """Views of others and middlewares end here: Django asks for the page of a fault."""
    request = RequestFactory().get("/_allauth/browser/v1/auth/session")
    try:
        _away()
    except OperationalError:
        answer = handle_server_error(request)
        assert answer.status_code == 503
        assert answer["Retry-After"]


def test_a_fault_outside_of_rest_views_is_a_problem_too() -> None:
    assert handle_server_error(RequestFactory().get("/")).status_code == 500


@pytest.mark.usefixtures("redis_url")
def test_f1_login_over_http_without_a_database_is_busy() -> None:
    with connection.execute_wrapper(_away):
        client = stranger()
        client.raise_request_exception = False
        answer = client.post(
            "/_allauth/browser/v1/auth/login",
            {"username": "li.wei", "password": "wrong"},
            "json",
        )
    problem_of(answer, 503, "busy")


def _away(*_: Any) -> Any:
    raise OperationalError("terminating connection due to unexpected postmaster exit")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-27 09:00:08.2287+00", datetime(2026, 11, 27, 9, 0, 8, 228_700, UTC)),
        ("2026-11-27 09:00:08-08:30", datetime(2026, 11, 27, 17, 30, 8, 0, UTC)),
        ("1900-01-01 00:00:00+08:05:43", datetime(1899, 12, 31, 15, 54, 17, 0, UTC)),
        ("0001-01-01 00:00:00+00", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31 23:59:59.999999+00", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_moments_are_read_to_the_microsecond(text: str, expected: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT %s::timestamptz, ARRAY[%s::timestamptz], NULL::timestamptz", [text] * 2
        )
        assert cursor.fetchone() == (expected, [expected], None)


def test_moments_are_of_the_zone_of_the_connection() -> None:
    east = timezone(timedelta(hours=8))
    oid = psycopg.postgres.types["timestamptz"].oid
    loader = _adapters(east).get_loader(oid, psycopg.pq.Format.TEXT)
    assert loader is not None
    moment = loader(oid).load(b"2026-11-27 09:00:08+00")
    assert (moment, moment.utcoffset()) == (
        datetime(2026, 11, 27, 9, 0, 8, 0, UTC),
        timedelta(hours=8),
    )


@pytest.mark.parametrize("text", ["infinity", "10000-01-01 00:00+00", "0044-03-15 00:00+00 BC"])
def test_moments_that_python_cannot_hold_are_refused_by_the_driver(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [text])
        with pytest.raises(DataError, match="timestamp too"):
            cursor.fetchone()
