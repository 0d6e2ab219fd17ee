"""The gateway asks servers for their queues, and reports them beside what it sees itself."""

import asyncio
from typing import Any

import pytest

from portal.common.clock import now
from portal.inference.waiting import ask_servers, read_waiting
from tests.portal.inference.model_server import model_server
from tests.portal.inference.site import InferenceSite, inference_site

METRIC = "llamacpp:requests_deferred"
TOLD: dict[str, Any] = {"metrics_path": "/metrics", "waiting_metric": METRIC}


def reported(site: InferenceSite) -> tuple[int, int]:
    (second,) = site.plane.close_second(now().replace(microsecond=0))
    return second.waiting, second.waiting_age_ms


async def test_queues_of_all_servers_are_reported_together() -> None:
    async with (
        model_server() as first,
        model_server() as second,
        inference_site(first, second, **TOLD) as site,
    ):
        first.queue, second.queue = 3, 4
        await ask_servers(site.plane, site.open_port)
        assert reported(site) == (7, 0)

        first.queue = 0
        await ask_servers(site.plane, site.open_port)
        assert reported(site) == (4, 0)


async def test_a_server_that_never_told_a_queue_is_not_silent() -> None:
    async with model_server() as model, inference_site(model, **TOLD) as site:
        await ask_servers(site.plane, site.open_port)
        assert reported(site) == (0, 0)
        (replica,) = site.plane.services()[0].replicas.answering()
        assert replica.waiting is None


async def test_a_server_that_tells_it_no_more_keeps_its_word_and_its_silence_is_reported() -> None:
    async with model_server() as model, inference_site(model, **TOLD) as site:
        model.queue = 5
        await ask_servers(site.plane, site.open_port)
        model.is_broken = True
        await ask_servers(site.plane, site.open_port)

        replicas = site.plane.services()[0].replicas
        waiting, silent_ms = replicas.waiting_inside(asyncio.get_running_loop().time() + 12)
        assert waiting == 5
        assert silent_ms >= 12_000


async def test_nobody_is_asked_whose_server_has_no_such_metric() -> None:
    async with model_server() as model, inference_site(model) as site:
        model.queue = 5
        await ask_servers(site.plane, site.open_port)
        assert reported(site) == (0, 0)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"# TYPE {METRIC} gauge\n{METRIC} 3\n", 3),
        (f'{METRIC}{{model="a"}} 2.0\n{METRIC}{{model="b"}} 1\n{METRIC}_by_reason 9\n', 3),
        (f"{METRIC} NaN\n", None),
        (f"{METRIC} three\n", None),
        ("other 3\n", None),
        ("<html>no metrics</html>", None),
        ("", None),
    ],
)
def test_a_metric_is_read_as_prometheus_would(text: str, count: int | None) -> None:
    assert read_waiting(text, METRIC) == count
