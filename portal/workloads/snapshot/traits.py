"""What decisions may know of each kind of work."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from portal.workloads.models import Workload
from scheduler.core.model.work_traits import EvictAs, WorkTraits

TRAITS: Final[Mapping[str, WorkTraits]] = MappingProxyType(
    {
        Workload.Kind.ENVIRONMENT: WorkTraits(
            may_borrow=False, guaranteed=True, evict_as=EvictAs.SUSPENDED
        ),
        Workload.Kind.TRAINING: WorkTraits(),
        Workload.Kind.APP: WorkTraits(),
    }
)
"""By kind."""
