"""The columns of a workload that its submission fills."""

from portal.common.ids import new_id
from portal.inventory.models import Pool
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from portal.workloads.submission.admission import Admitted, Submission
from scheduler.core.model.entities import Request


def test_a_submission_fills_columns_but_none_that_decides_what_follows() -> None:
    request = Request(gpus=1, cpu_milli=1000, memory_mib=1024)
    admitted = Admitted(
        submission=Submission(kind="training", group="vision", request=request),
        user_id=new_id(),
        group=Group(),
        pool=Pool(),
        image=None,
        request=request,
        time_limit_s=3600,
    )

    filled = admitted.columns().keys()

    columns = Workload._meta.concrete_fields
    assert filled <= {name for column in columns for name in (column.name, column.attname)}
    assert filled.isdisjoint({"id", "state", "version", "epoch", "outcome", "retries", "evictions"})
