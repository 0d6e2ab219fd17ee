"""From a clean clone to a notebook and a job of two ranks: `berth-server init`, `docker compose up -d`, nothing else."""

import ssl
from typing import Any, Final
from urllib.request import urlopen

import pytest

from portal.demo import organisation
from tests.deploy.stack.stack import HEALTHY_S, Stack
from tests.e2e.story import Person, SitDown, run_cell
from tests.e2e.words import CHINESE, ENGLISH
from tests.waiting import wait_until

pytestmark = [pytest.mark.docker, pytest.mark.long, pytest.mark.timeout(3600)]

AUTHORITY: Final = "/caddy/caddy/pki/authorities/local/root.crt"
POOLS: Final = (organisation.DEVELOPMENT, organisation.TRAINING)
PERSON: Final = "wang.fang"
MEET: Final = """
import os, socket
rank, place = int(os.environ["RANK"]), (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if rank == 0:
    with socket.create_server(("", place[1])) as server:
        peer, _ = server.accept()
        print("rank 1 said", peer.recv(100).decode(), "of", os.environ["WORLD_SIZE"])
else:
    while True:
        try:
            with socket.create_connection(place, timeout=5) as peer:
                peer.sendall(b"hello")
            break
        except OSError:
            pass
"""


def test_every_service_is_healthy_and_none_had_to_be_started_again(stack: Stack) -> None:
    stack.wait_well()
    assert {name: each.restarts for name, each in stack.services().items() if each.restarts} == {}


def test_check_names_only_what_localhost_cannot_have(stack: Stack) -> None:
    """Inside a container that name is the container's own."""
    said = stack.try_berth_server("--language", "en", "check")
    codes = [line.partition(":")[0] for line in said.splitlines() if "localhost" in line]
    assert sorted(codes) == ["certificate_missing", "certificate_missing", "name_unknown"]


def test_the_certificate_is_signed_by_the_proxys_own_authority(stack: Stack) -> None:
    authority = stack.compose("exec", "-T", "caddy", "cat", AUTHORITY)
    with urlopen(stack.url, context=ssl.create_default_context(cadata=authority)) as answer:
        assert answer.status == 200
        assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_a_node_in_each_pool_has_joined_by_itself(stack: Stack, person: SitDown) -> None:
    admin = person(stack, ENGLISH)
    admin.sign_in(organisation.ADMIN)

    def ready() -> set[str]:
        return {node["pool"]["name"] for node in _nodes(admin) if node["state"] == "ready"}

    wait_until(lambda: ready() == set(POOLS), within_s=HEALTHY_S, every_s=1)
    assert {(node["runtime"], node["is_isolated"]) for node in _nodes(admin)} == {("docker", True)}


def _nodes(admin: Person) -> list[Any]:
    found: list[Any] = admin.call("GET", "nodes")["results"]
    return found


def test_a_notebook_runs_on_an_origin_of_its_own(stack: Stack, person: SitDown) -> None:
    me = person(stack, CHINESE)
    me.sign_in(PERSON)
    me.create_notebook("first")
    lab = me.open_notebook()
    assert lab.url.startswith(stack.apps_url)
    run_cell(lab, "print(6 * 7)", "42")


def test_two_ranks_of_a_job_meet(stack: Stack, person: SitDown) -> None:
    me = person(stack, ENGLISH)
    me.sign_in(PERSON)
    body = {"group": "vision", "image": "python", "cpu_milli": 500, "memory_mib": 256, "gpus": 1}
    script = f"python3 - <<'END'\n{MEET}\nEND"
    job = me.call("POST", "jobs", {**body, "name": "two ranks", "replicas": 2, "script": script})
    done = me.call("GET", f"jobs/{job['id']}/wait?timeout=120&state=terminal")
    log = me.ask("GET", f"jobs/{job['id']}/logs?rank=0&offset=0").text()
    assert (done["state"], done["exit_code"]) == ("succeeded", 0), log
    assert log == "rank 1 said hello of 2\n"
