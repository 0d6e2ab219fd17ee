"""The table of routes: who answers for a service, with which part, for which keys."""

from datetime import timedelta

import pytest

from portal.common.clock import now
from portal.endpoints.values import digest_secret
from portal.serving.models import Service
from portal.serving.routes import route_table_for_system
from portal.serving_usage.routes import KeyRoute, Protocol, ServiceRoute
from tests.builders.serving import SERVICES, ServingSite, a_serving_site
from tests.rest import json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def site() -> ServingSite:
    return a_serving_site()


def issue(site: ServingSite, service: Service) -> None:
    address = f"{SERVICES}/{service.pk}/keys"
    json_of(site.client.post(address, {"name": "app"}, format="json"), 201)


def only_route() -> ServiceRoute:
    (route,) = route_table_for_system().services
    return route


def test_a_replica_that_is_ready_is_where_its_container_runs(site: ServingSite) -> None:
    service = site.create(hold_max=7, hold_deadline_s=9, drain_s=11)
    site.settle(comes_up=False)
    assert only_route().replicas == ()
    site.settle()

    route = only_route()
    (replica,) = route.replicas
    (row,) = site.live(service)
    (held,) = site.scene.held(row.workload)

    assert route.address == (site.scene.group.name, "chat")
    assert (route.protocol, route.drain_s, route.probe_path) == (Protocol.HTTP, 11.0, "/")
    assert (route.hold.requests_max, route.hold.within_s) == (7, 9.0)
    assert (replica.workload_id, replica.revision) == (row.pk, 1)
    assert (replica.is_ready, replica.is_draining) == (True, False)
    assert replica.container.allocation == held.wire_name
    assert [replica.port] == row.workload.spec["ports"]


def test_a_preset_says_where_its_server_tells_its_queue(site: ServingSite) -> None:
    site.create(preset="vllm", command=None, model="/volumes/m")
    site.settle()

    route = only_route()
    assert (route.metrics_path, route.waiting_metric) == ("/metrics", "vllm:num_requests_waiting")


def test_a_stopped_service_stays_without_replicas_and_says_so(site: ServingSite) -> None:
    service = site.create(drain_s=0)
    issue(site, service)
    site.settle(2)
    assert (only_route().is_stopped, len(only_route().replicas)) == (False, 1)

    site.act(service, "stop")
    assert (only_route().is_stopped, len(only_route().replicas)) == (True, 1)
    site.settle(3)

    assert (only_route().is_stopped, only_route().replicas) == (True, ())
    assert len(only_route().keys) == 1


def test_a_deleted_service_stays_without_keys_until_its_last_replica_has_ended(
    site: ServingSite,
) -> None:
    service = site.create(drain_s=0)
    issue(site, service)
    site.settle(2)
    assert site.client.delete(f"{SERVICES}/{service.pk}").status_code == 204
    named_again = site.create()

    deleted, present = route_table_for_system().services
    assert (deleted.service_id, present.service_id) == (service.pk, named_again.pk)
    assert (deleted.is_stopped, len(deleted.replicas), deleted.keys) == (True, 1, {})
    site.settle(3)

    assert only_route().service_id == named_again.pk


def test_a_canary_has_its_part_only_once_it_is_ready(site: ServingSite) -> None:
    service = site.create(preset="vllm", model="/m", command=None, replicas_max=3)
    site.settle(2)
    site.change(service, model="/n", canary_pct=20)
    assert only_route().weights == {}

    site.settle(2)

    assert only_route().weights == {1: 80, 2: 20}
    assert only_route().protocol is Protocol.OPENAI


def test_a_key_is_shown_once_and_opens_until_it_is_revoked(site: ServingSite) -> None:
    service = site.create()
    address = f"{SERVICES}/{service.pk}/keys"
    until = now() + timedelta(days=1)
    body = {"name": "app", "requests_per_min": 60, "expires_at": until.isoformat()}

    issued = json_of(site.client.post(address, body, format="json"), 201)
    (listed,) = json_of(site.client.get(address))["results"]

    assert "secret" not in listed
    assert issued["secret"].endswith(listed["hint"])
    (digest,) = only_route().keys
    assert digest == digest_secret(issued["secret"])
    key = only_route().keys[digest]
    assert isinstance(key, KeyRoute)
    assert (key.requests_per_minute, key.tokens_per_minute) == (60, None)
    assert key.expires_at == until

    assert site.client.delete(f"{address}/{listed['id']}").status_code == 204
    assert only_route().keys == {}
    problem_of(site.client.delete(f"{address}/{listed['id']}"), 404, "not_found")
