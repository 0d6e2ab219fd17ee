"""What Prometheus reads of the platform, and that nobody else does."""

from collections.abc import Callable

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from portal.inventory.models import Accelerator
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.workloads import a_workload
from tests.rest import problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

TOKEN = "a-token-for-prometheus"


def scraped(token: str = TOKEN) -> dict[tuple[str, ...], float]:
    """Return every value by metric name and its labels in the order of their names."""
    answer = Client().get("/metrics", headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    return {
        (item.name, *(value for _, value in sorted(item.labels.items()))): item.value
        for family in text_string_to_metric_families(answer.content.decode())
        for item in family.samples
    }


def test_pools_queues_nodes_and_cards_are_counted(set_site: Callable[..., None]) -> None:
    set_site(metrics_token=TOKEN)
    group, pool = a_group(), a_pool("gold", slices=8)
    a_workload(a_member(group), group, pool, slices=1)
    node = a_node(pool, "n1", cards=2)
    card = Accelerator.objects.get(node=node, index=1)
    card.utilisation_pct = 73
    card.save()

    found = scraped()

    assert found["berth_queue_length", "gold"] == 1
    assert found["berth_workloads", "training", "gold", "queued"] == 1
    assert found["berth_nodes", "gold", "ready"] == 1
    assert found["berth_pool_slices_free", "gold"] == 16
    assert found["berth_redis_up",] == 1
    labels = ("n1", card.uuid, "1", card.model, "gold", "true")
    assert found["DCGM_FI_DEV_GPU_UTIL", *labels] == 73
    assert found["berth_card_ok", *labels] == 1
    assert sum(name[0] == "DCGM_FI_DEV_GPU_UTIL" for name in found) == 1


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer another-token", TOKEN[:-1]])
def test_without_the_token_there_is_no_such_address(
    set_site: Callable[..., None], given: str
) -> None:
    set_site(metrics_token=TOKEN)

    problem_of(Client().get("/metrics", headers={"authorization": given}), 404, "not_found")


def test_an_installation_without_a_token_has_no_metrics(set_site: Callable[..., None]) -> None:
    set_site(metrics_token="")

    problem_of(Client().get("/metrics", headers={"authorization": "Bearer "}), 404, "not_found")
