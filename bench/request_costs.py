"""`python -m bench.request_costs`: what one submission, one list, one page and one heartbeat cost.

Each goes through the whole stack of its process in this one (middleware, authentication, limits,
PostgreSQL with durable commits, JSON), but for the sockets. CPU is of this process and of
PostgreSQL with all its sessions; statements and rows are those of one call.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any, Final

from bench.simulated_agent import SimulatedAgent
from bench.site import prepared
from bench.spent import postgres_s
from wire.codec import decode_from_agent, encode

RESULT: Final = Path("var/bench/request_costs.json")
PAGE: Final = ("/api/v1/me", "/api/v1/config", "/api/v1/groups", "/api/v1/pools")
"""What the page of jobs asks when it is opened, besides its list and the files."""
CONTAINERS: Final = 8
"""That the node of the heartbeat runs."""
WAITING: Final = 200
"""Workloads in the lists."""
WARM_UP: Final = 20
SUBMITTERS: Final = 8
"""People with a token each: a storm of one would be refused as too much."""
SUBMISSION, LIST, OPENED, HEARTBEAT = (
    "a submission",
    "a list of 50",
    "a page of jobs, 5 requests",
    "a heartbeat, nothing new",
)
STATEMENTS_MAX: Final = {SUBMISSION: 18, LIST: 7, OPENED: 27, HEARTBEAT: 11}
"""Transactions and savepoints included."""

Calls = Mapping[str, Callable[[], None]]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call costs."""

    name: str
    cpu_ms: float
    postgres_ms: float
    statements: int
    rows: int
    """Read or written."""


def main() -> int:
    """Measure, print, write; 1 when anything asks the database more than it may."""
    parser = argparse.ArgumentParser(prog="python -m bench.request_costs")
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with prepared():
        costs = [measure(name, call, options.calls) for name, call in build_calls().items()]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(cost) for cost in costs], indent=2) + "\n"
    options.json.write_text(text, encoding="utf-8")
    print(f"{'':<28}{'CPU ms':>8}{'PostgreSQL ms':>15}{'statements':>12}{'rows':>7}")
    for cost in costs:
        print(
            f"{cost.name:<28}{cost.cpu_ms:>8.2f}{cost.postgres_ms:>15.2f}"
            f"{cost.statements:>12}{cost.rows:>7}"
        )
    return int(any(cost.statements > STATEMENTS_MAX[cost.name] for cost in costs))


def build_calls() -> Calls:
    """Write a small site and return the calls by name; each may be repeated."""
    from tests.builders.machines import a_node, a_pool, an_image  # noqa: PLC0415 - after `prepared`
    from tests.builders.people import a_group, a_member  # noqa: PLC0415
    from tests.builders.workloads import a_workload  # noqa: PLC0415
    from tests.rest import browser, json_of, pipeline  # noqa: PLC0415

    pool, group = a_pool("training"), a_group("vision")
    node = a_node(pool, cards=CONTAINERS)
    owner = a_member(group)
    an_image("python")
    for _ in range(WAITING):
        a_workload(owner, group, pool, gpus=1)
    reader, numbers = browser(owner), count()
    submitters = [pipeline(a_member(group)) for _ in range(SUBMITTERS)]
    for client in (reader, *submitters):
        client.defaults["HTTP_HOST"] = "127.0.0.1"
    body = {
        "name": "train",
        "group": "vision",
        "pool": "training",
        "image": "python",
        "gpus": 1,
        "command": ["python", "train.py"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }

    def submit() -> None:
        number = next(numbers)
        client, key = submitters[number % len(submitters)], {"Idempotency-Key": f"key-{number}"}
        json_of(client.post("/api/v1/jobs", body, format="json", headers=key), 202)

    def list_jobs() -> None:
        json_of(reader.get("/api/v1/workloads?kind=training&page_size=50"))

    def open_page() -> None:
        for address in PAGE:
            json_of(reader.get(address))
        list_jobs()

    return {
        SUBMISSION: submit,
        LIST: list_jobs,
        OPENED: open_page,
        HEARTBEAT: _start_work(node),
    }


def _start_work(node: Any) -> Callable[[], None]:
    """Let a node run as much as it can; return a function that sends its next heartbeat."""
    from portal.config.node_reports import receive_heartbeat  # noqa: PLC0415 - after `prepared`
    from portal.workloads.models import Workload  # noqa: PLC0415
    from scheduler.runtime.loop import run_once  # noqa: PLC0415

    agent = SimulatedAgent(node)

    def beat() -> None:
        received: Any = decode_from_agent(agent.next_heartbeat())
        agent.apply(encode(receive_heartbeat(node.pk, received)))

    run_once()
    beat()
    beat()
    if Workload.objects.filter(state="running").count() != CONTAINERS:
        raise RuntimeError("the node does not run what it was given")
    return beat


def measure(name: str, call: Callable[[], None], calls: int) -> Cost:
    """Return what one call costs, on average."""
    for _ in range(WARM_UP):
        call()
    with counted() as found:
        call()
    cpu, database = process_time(), postgres_s()
    for _ in range(calls):
        call()
    cpu, database = process_time() - cpu, postgres_s() - database
    return Cost(
        name,
        cpu_ms=round(cpu * 1000 / calls, 2),
        postgres_ms=round(database * 1000 / calls, 2),
        statements=found["statements"],
        rows=found["rows"],
    )


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Count the statements of this thread and the rows that they read or write."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    found = {"statements": 0, "rows": 0}

    def count_rows(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - Django's form
        result = execute(sql, params, many, context)
        found["rows"] += max(context["cursor"].rowcount, 0)
        return result

    with CaptureQueriesContext(connection) as captured, connection.execute_wrapper(count_rows):
        yield found
    found["statements"] = len(captured)


if __name__ == "__main__":
    sys.exit(main())
