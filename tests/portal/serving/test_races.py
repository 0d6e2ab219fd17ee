"""Replicas stay inside quotas whatever is scaled, submitted, decided and changed at the same moment."""

import pytest

from portal.common.clock import now, to_millis
from portal.common.errors import DomainError
from portal.quotas.models import Quota
from portal.serving.models import Service
from portal.serving.reconcile import reconcile_services
from portal.serving.services import scale_service
from portal.tenancy.actors import load_actor
from portal.workloads.models import Allocation
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.commit import commit_placements
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis
from scheduler.core.model.states import LIVE_ALLOCATION
from scheduler.runtime.audit import audit_database
from tests.builders.at_once import at_once
from tests.builders.scenes import a_quota
from tests.builders.serving import ServingSite, a_serving_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
CEILINGS = (4, 2, 5, 3)


@pytest.fixture
def site() -> ServingSite:
    return a_serving_site(cards=8, policy={"min_runtime_s": 0, "grace_s": 0})


def held() -> int:
    return Allocation.objects.filter(state__in=LIVE_ALLOCATION).count()


def decide() -> None:
    commit_placements(run_cycle(load_snapshot(), Millis(to_millis(now()))).starts)


def scale(site: ServingSite, service: Service, wanted: int) -> None:
    try:
        scale_service(actor=load_actor(site.scene.owner), service_id=service.pk, wanted=wanted)
    except DomainError as error:
        assert error.code == "changed_meanwhile"  # noqa: PT017


def test_replicas_never_exceed_a_quota(site: ServingSite) -> None:
    quota = a_quota(site.scene.group, ceiling=3000)
    chat = site.create(name="chat", replicas_min=0, replicas_max=8)
    batch = site.create(
        name="batch", quality="throughput", target_ms=None, replicas_min=0, replicas_max=8
    )
    for number, ceiling in enumerate(CEILINGS):
        before, old = held(), Quota.objects.get(pk=quota.pk).ceiling or 0

        def act(thread: int, ceiling: int = ceiling, number: int = number) -> None:
            if thread == 0:
                Quota.objects.filter(pk=quota.pk).update(ceiling=ceiling * 1000)
            elif thread == 1:
                scale(site, chat, 2 + 2 * (number % 2))
            elif thread == 2:
                scale(site, batch, 6 - number)
            elif thread == 3:
                scale(site, chat, 8 - number)
            else:
                reconcile_services()
                decide()

        at_once(7, act)

        assert held() <= max(before, old // 1000, ceiling)
        assert broken() <= ({"quota_ceilings"} if held() > ceiling else set())
        site.settle(2)


def broken() -> set[str]:
    """Return the invariants that do not hold; a ceiling below what runs already is broken by its change."""
    return {violation.invariant for violation in audit_database()}
