"""Fractions of a GPU: which ones a pool offers, their MIG profiles, and their burst limit."""

from dataclasses import replace

from portal.common.errors import ConflictError, InvalidError
from portal.inventory.models import Pool
from portal.inventory.policy import read_policy
from portal.inventory.selectors import pool_has_cards_for_system, pool_mig_profiles_for_system
from portal.workloads.models import AllocationDevice, Workload
from scheduler.core.model.entities import Request
from scheduler.core.model.mig import MigProfiles, find_profile, find_smallest_profile
from scheduler.core.model.policy import PoolPolicy


def fit_request_to_pool(pool: Pool, request: Request, ceiling_mib: int | None = None) -> Request:
    """Return the request in the terms of its pool; refuse what the pool does not offer.

    In a MIG pool, slices and shares become the smallest profile that has as much.
    """
    if sum(
        map(bool, (request.gpus, request.slices, request.gpu_milli or request.mig_profile))
    ) > 1 or (request.gpu_milli and request.mig_profile):
        raise InvalidError("gpus_or_slices", pointer="/slices")
    if bool(request.gpu_milli) != bool(request.gpu_memory_mib):
        pointer = "/gpu_memory_mib" if request.gpu_milli else "/gpu_milli"
        raise InvalidError("share_needs_both", pointer=pointer)
    _require_gpus_for_choice(request)
    _require_ceiling(pool, request, ceiling_mib)
    if pool.mode == Pool.Mode.MIG:
        return _with_mig_profile(pool, request)
    if request.mig_profile:
        raise InvalidError("pool_has_no_profiles", pointer="/mig_profile", pool=pool.name)
    is_cut = pool.slices_per_card > 1
    for pointer, is_other in (
        ("/gpus", request.gpus and is_cut),
        ("/slices", request.slices and not is_cut),
        ("/gpu_milli", request.gpu_milli and not pool.gives_shares),
    ):
        if is_other:
            raise InvalidError(_offer_code(pool), pointer=pointer, pool=pool.name)
    return request


def memory_ceiling_mib(
    device: AllocationDevice, workload: Workload, policy: PoolPolicy | None = None
) -> int | None:
    """Return to how many MiB a held part of a card may grow now; None where it is its guarantee.

    `policy` is that of the card's pool, where it was read already.
    """
    if device.slices == 1 and not device.gpu_milli:
        return None
    card = device.accelerator
    policy = policy or read_policy(card.pool.name, card.pool.policy)
    most = min(card.memory_mib, device.memory_mib * policy.burst_pct // 100)
    ceiling = min(most, workload.gpu_memory_ceiling_mib or most)
    return ceiling if ceiling > device.memory_mib else None


def _offer_code(pool: Pool) -> str:
    """Return the code of the refusal that names what the pool gives instead."""
    if pool.gives_shares:
        return "pool_gives_shares"
    return "pool_gives_slices" if pool.slices_per_card > 1 else "pool_gives_gpus"


def _require_gpus_for_choice(request: Request) -> None:
    """Require that work which chooses GPUs asks for some."""
    has_gpus = request.gpus or request.slices or request.gpu_milli or request.mig_profile
    if request.chooses_cards and not has_gpus:
        raise InvalidError("gpu_choice_without_gpus", pointer="/gpus")


def _require_ceiling(pool: Pool, request: Request, ceiling_mib: int | None) -> None:
    """Require that a memory ceiling is within the burst limit of the pool."""
    if ceiling_mib is None:
        return
    if not request.gpu_milli or pool.mode == Pool.Mode.MIG:
        raise InvalidError("ceiling_without_share", pointer="/gpu_memory_ceiling_mib")
    most = request.gpu_memory_mib * read_policy(pool.name, pool.policy).burst_pct // 100
    if not request.gpu_memory_mib <= ceiling_mib <= most:
        least = request.gpu_memory_mib
        raise InvalidError(
            "ceiling_out_of_range", pointer="/gpu_memory_ceiling_mib", min=least, max=most
        )


def _with_mig_profile(pool: Pool, request: Request) -> Request:
    if request.gpus:
        raise InvalidError("pool_gives_profiles", pointer="/gpus", pool=pool.name)
    if not (request.slices or request.gpu_milli or request.mig_profile):
        return request
    profiles = pool_mig_profiles_for_system(pool)
    if not profiles and not pool_has_cards_for_system(pool):
        raise ConflictError("profiles_not_known_yet", pool=pool.name)
    if request.mig_profile:
        found = find_profile(profiles, request.mig_profile)
    else:
        found = find_smallest_profile(
            profiles,
            slices=request.slices,
            milli=request.gpu_milli,
            mib=request.gpu_memory_mib,
            of=max((profile.compute for profile in profiles), default=1),
        )
    if found is None:
        raise _no_profile(pool, request, profiles)
    return replace(
        request, slices=found.size, gpu_milli=0, gpu_memory_mib=0, mig_profile=found.name
    )


def _no_profile(pool: Pool, request: Request, profiles: MigProfiles) -> InvalidError:
    """Return the refusal of a profile that no card has, or of a part that is larger than each."""
    offered = ", ".join(profile.name for profile in profiles) or "-"
    if request.mig_profile:
        return InvalidError(
            "no_such_profile", pointer="/mig_profile", pool=pool.name, there=offered
        )
    most_mib = max((profile.memory_mib for profile in profiles), default=0)
    by_share = "/gpu_memory_mib" if request.gpu_memory_mib > most_mib else "/gpu_milli"
    pointer = "/slices" if request.slices else by_share
    return InvalidError("no_profile_so_large", pointer=pointer, pool=pool.name, there=offered)
