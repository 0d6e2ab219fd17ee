"""Which of many back ends a browser is led to."""

from dataclasses import replace
from uuid import UUID

from portal.endpoints.values import Backend, ContainerAddress, Endpoint
from tests.builders.endpoints import a_backend, an_endpoint

NODE = UUID("0190d3a0-0000-7000-8000-000000000001")
VISITS = [f"secret-{number}" for number in range(300)]


def of_containers(count: int) -> Endpoint:
    """Return an endpoint of as many back ends."""
    found = (
        a_backend(8888, ContainerAddress(NODE, f"work-{number}", 1)) for number in range(count)
    )
    return replace(an_endpoint(), backends=tuple(found))


def chosen(endpoint: Endpoint) -> dict[str, Backend]:
    return {visit: endpoint.choose(visit) for visit in VISITS}


def test_the_one_back_end_of_a_notebook_answers_everybody() -> None:
    endpoint = of_containers(1)
    assert set(chosen(endpoint).values()) == set(endpoint.backends)


def test_browsers_are_spread_over_all() -> None:
    assert set(chosen(of_containers(5)).values()) == set(of_containers(5).backends)


def test_a_browser_stays_where_it_is_while_others_come_and_go() -> None:
    five = of_containers(5)
    before = chosen(five)
    gone, *left = five.backends
    after = chosen(replace(five, backends=tuple(reversed(left))))
    moved = {visit for visit in VISITS if before[visit] != after[visit]}
    assert moved == {visit for visit in VISITS if before[visit] == gone}
