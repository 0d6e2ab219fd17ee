"""Parts of a card in submissions: what a pool gives, and what amounts mean where hardware is cut."""

from dataclasses import replace

from portal.common.errors import InvalidError
from portal.inventory.models import Pool
from portal.inventory.selectors import profiles_in, rules_of
from scheduler.core.entities import Request
from scheduler.core.partitions import named, smallest


def fitted(pool: Pool, request: Request, ceiling_mib: int | None = None) -> Request:
    """Return the request as the pool understands it, or refuse a part that it does not give.

    In a pool that is cut in hardware, slices and shares become the smallest profile that has them.
    """
    if sum(map(bool, (request.cards, request.slices, request.share or request.profile))) > 1 or (
        request.share and request.profile
    ):
        raise InvalidError("cards_or_slices", pointer="/slices")
    if bool(request.share) != bool(request.share_mib):
        pointer = "/share_mib" if request.share else "/share_milli"
        raise InvalidError("share_needs_both", pointer=pointer)
    _require_ceiling(pool, request, ceiling_mib)
    if pool.mode == Pool.Mode.MIG:
        return _profiled(pool, request)
    if request.profile:
        raise InvalidError("pool_has_no_profiles", pointer="/mig_profile", pool=pool.name)
    if request.share and not pool.gives_shares:
        code = "pool_gives_slices" if pool.mode == Pool.Mode.SHARED else "pool_gives_cards"
        raise InvalidError(code, pointer="/share_milli", pool=pool.name)
    return request


def _require_ceiling(pool: Pool, request: Request, ceiling_mib: int | None) -> None:
    """Hold a ceiling to what the pool lets shares grow to."""
    if ceiling_mib is None:
        return
    if not request.share or pool.mode == Pool.Mode.MIG:
        raise InvalidError("ceiling_without_share", pointer="/share_ceiling_mib")
    most = request.share_mib * rules_of(pool.name, pool.policy).burst_pct // 100
    if not request.share_mib <= ceiling_mib <= most:
        least = request.share_mib
        raise InvalidError(
            "ceiling_out_of_range", pointer="/share_ceiling_mib", min=least, max=most
        )


def _profiled(pool: Pool, request: Request) -> Request:
    if not (request.slices or request.share or request.profile):
        return request
    profiles = profiles_in(pool)
    if request.profile:
        found = named(profiles, request.profile)
    else:
        found = smallest(
            profiles,
            slices=request.slices,
            milli=request.share,
            mib=request.share_mib,
            of=max((profile.compute for profile in profiles), default=1),
        )
    if found is None:
        offered = ", ".join(profile.name for profile in profiles) or "-"
        raise InvalidError("no_such_profile", pointer="/mig_profile", pool=pool.name, there=offered)
    return replace(request, slices=found.size, share=0, share_mib=0, profile=found.name)
