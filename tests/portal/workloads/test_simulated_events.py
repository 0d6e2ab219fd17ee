"""The log of simulated work may go with it; that of all other work stays."""

import pytest
from django.db import IntegrityError, transaction

from portal.workloads.models import Workload, WorkloadEvent
from tests.builders.scenes import a_scene

pytestmark = pytest.mark.django_db


def test_events_of_simulated_work_go_with_it_and_those_of_other_work_cannot() -> None:
    scene = a_scene()
    simulated, real = scene.work(), scene.work()
    Workload.objects.filter(pk=simulated.pk).update(simulated=True)
    for work in (simulated, real):
        WorkloadEvent.objects.create(
            workload=work,
            owner_id=work.owner_id,
            group_id=work.group_id,
            pool_id=work.pool_id,
            to_state="queued",
            epoch=0,
            actor_kind="person",
        )

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        WorkloadEvent.objects.filter(workload=real).delete()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        WorkloadEvent.objects.filter(workload=simulated).update(cause="other")
    Workload.objects.filter(pk=simulated.pk).delete()

    assert set(WorkloadEvent.objects.values_list("workload", flat=True)) == {real.pk}
