"""What a node is to run, with all that is loaded of it at once, however much it is."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F

from portal.agentlink.devices import AllocationDevices, load_devices
from portal.agentlink.mounts import WorkMounts, load_mounts
from portal.catalog.selectors import ImageSource, sources_for_system
from portal.common.site_config import SiteConfig, get_site_config
from portal.common.work_kinds import WebEndpoint
from portal.execution.capabilities import Capabilities
from portal.identity.services import languages_for_system
from portal.inventory.models import Pool
from portal.workloads.idleness import parked_for_system
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.state.exchange import Exchange
from scheduler.core.model.policy import PoolPolicy


@dataclass(frozen=True, slots=True)
class RankAddress:
    """The node of one rank of a gang, and its address."""

    node: UUID
    address: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the containers of the allocations need that a node is to run."""

    workloads: Mapping[UUID, Workload]
    devices: Mapping[UUID, AllocationDevices]
    """By allocation; what holds none is left out."""
    ranks: Mapping[UUID, Mapping[int, RankAddress]]
    """The ranks of each gang in its present attempt."""
    parked: frozenset[UUID]
    """Workloads that run without their GPUs."""
    mounts: Mapping[UUID, WorkMounts]
    graces: Mapping[UUID, int]
    """Grace of work over its time limit, by pool."""
    array_sizes: Mapping[UUID, int]
    images: Mapping[UUID, ImageSource]
    languages: Mapping[UUID, str]
    """Of the pages of those who own work with a server of its own."""
    can: Capabilities
    """What the node can do."""
    site: SiteConfig

    @classmethod
    def load(cls, exchange: Exchange, allocations: Sequence[Allocation]) -> "Wanted":
        """Load what belongs to these allocations of a node (a fixed number of queries)."""
        known, can = exchange.work.workloads, exchange.report.capabilities
        workloads = [known[item.workload_id] for item in allocations]
        return cls(
            workloads=known,
            devices=load_devices(allocations, known),
            ranks=_gangs(workloads),
            parked=parked_for_system(workloads),
            mounts=load_mounts(workloads, can),
            graces=_time_limit_graces(workloads, exchange.node.pool),
            array_sizes=_array_sizes(workloads),
            images=sources_for_system({item.image_id for item in workloads}),
            languages=_languages(workloads),
            can=can,
            site=get_site_config(),
        )


def _gangs(workloads: Collection[Workload]) -> Mapping[UUID, Mapping[int, RankAddress]]:
    """Return the addresses of each gang's ranks in its present attempt."""
    epochs = {workload.pk: workload.epoch for workload in workloads if workload.replicas > 1}
    found: dict[UUID, dict[int, RankAddress]] = {key: {} for key in epochs}
    if not epochs:
        return found
    rows = Allocation.objects.filter(workload__in=epochs, epoch=F("workload__epoch"))
    columns = ("workload", "rank", "node", "node__address")
    for key, rank, node, address in rows.order_by("rank").values_list(*columns):
        found[key][rank] = RankAddress(node, address)
    return found


def _languages(workloads: Collection[Workload]) -> Mapping[UUID, str]:
    return languages_for_system(
        {item.owner_id for item in workloads if item.terms.endpoint is WebEndpoint.SERVER}
    )


def _array_sizes(workloads: Collection[Workload]) -> Mapping[UUID, int]:
    """Return how many tasks each array of these workloads has."""
    named = {item.array_id for item in workloads if item.array_id is not None}
    return dict(JobArray.objects.filter(pk__in=named).values_list("pk", "size")) if named else {}


def _time_limit_graces(workloads: Collection[Workload], own: Pool | None) -> Mapping[UUID, int]:
    """Return the grace of jobs over their time limit, by pool; other pools have lent this node."""
    found = {} if own is None else {own.pk: own.policy}
    others = {item.pool_id for item in workloads} - found.keys()
    if others:
        found |= dict(Pool.objects.filter(pk__in=others).values_list("pk", "policy"))
    return {key: int(policy.get("grace_s", PoolPolicy().grace_s)) for key, policy in found.items()}
