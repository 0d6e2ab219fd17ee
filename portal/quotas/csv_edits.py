"""What a file of quotas would change of what there is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from portal.common.actor import Actor
from portal.common.errors import Fault
from portal.identity.models import User
from portal.inventory.gpu_models import model_name
from portal.inventory.selectors import pools_visible_to
from portal.quotas.changes import default_limits, find_disorder, limits_of
from portal.quotas.csv_files import CsvQuota, CsvRefusedError, fault_at, read_quotas, write_amount
from portal.quotas.edits import CHANGES_MAX, MemberEdit, QuotaEdit, QuotaSubject
from portal.quotas.models import MemberCeiling, Quota
from portal.tenancy.selectors import groups_visible_to, members_visible_to


@dataclass(frozen=True, slots=True)
class FileEdits:
    """What a file would change."""

    edits: tuple[QuotaEdit, ...]
    members: tuple[MemberEdit, ...]


def read_csv_edits(*, actor: Actor, text: str) -> FileEdits:
    """Return what a file would change of what there is; rows that change nothing are left out.

    Raises:
        CsvRefusedError: with all cells that are not understood, name what does not exist, or
            contradict others.
    """
    faults: list[Fault] = []
    given = read_quotas(text, faults)
    unread = {fault.params["row"] for fault in faults}
    # All rows are looked up; those with cells that are not understood are not held to more.
    placed = [each for each in _place(actor, given, faults) if each.item.row not in unread]
    edits = _resolve([each for each in placed if not each.item.user], faults)
    members = _resolve_members(actor, [each for each in placed if each.item.user], faults)
    if faults:
        raise CsvRefusedError(faults)
    if max(len(edits), len(members)) > CHANGES_MAX:
        raise CsvRefusedError([fault_at(0, "", "csv_too_many_changes", max=CHANGES_MAX)])
    return FileEdits(tuple(edits), tuple(members))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A row of a file whose group and pool there are."""

    item: CsvQuota
    group_id: UUID
    what: QuotaSubject


def _place(actor: Actor, given: Sequence[CsvQuota], faults: list[Fault]) -> list[_Placed]:
    """Find what rows are about; what there is not, or is named twice, joins the faults."""
    groups = dict(groups_visible_to(actor).values_list("name", "pk"))
    pools = dict(pools_visible_to(actor).values_list("name", "pk"))
    seen: set[tuple[UUID, QuotaSubject, str]] = set()
    found: list[_Placed] = []
    for item in given:
        unknown = []
        if item.group not in groups:
            unknown.append(fault_at(item.row, "group", "unknown_group"))
        if item.pool and item.pool not in pools:
            unknown.append(fault_at(item.row, "pool", "unknown_pool", pool=item.pool))
        faults += unknown
        if unknown:
            continue
        what = QuotaSubject(pools.get(item.pool), item.resource, model_name(item.model))
        key = groups[item.group], what, item.user
        if key in seen:
            faults.append(fault_at(item.row, "group", "said_twice"))
        seen.add(key)
        found.append(_Placed(item, groups[item.group], what))
    return found


def _resolve(given: Sequence[_Placed], faults: list[Fault]) -> list[QuotaEdit]:
    edits: list[QuotaEdit] = []
    present = {
        (row.group_id, QuotaSubject(row.pool_id, row.resource, row.model)): limits_of(row)
        for row in Quota.objects.filter(group__in={each.group_id for each in given})
    }
    for each in given:
        item, key, what = each.item, (each.group_id, each.what), each.what
        before = present.get(key)
        after = (before or default_limits()) | dict(item.limits)
        faults += [
            fault_at(item.row, pointer.rpartition("/")[2], code, **_as_written(what, params))
            for pointer, code, params in find_disorder(what, after)
        ]
        if after != before:
            edits.append(QuotaEdit(key[0], what, before, after))
    return edits


def _as_written(what: QuotaSubject, params: Mapping[str, int | str]) -> dict[str, int | str]:
    """Return the amounts of a fault as the file writes them."""
    return {name: write_amount(what.resource, int(amount)) for name, amount in params.items()}


def _resolve_members(
    actor: Actor, given: Sequence[_Placed], faults: list[Fault]
) -> list[MemberEdit]:
    groups = {each.group_id for each in given}
    members = {
        (group, member.user.pk) for group in groups for member in members_visible_to(actor, group)
    }
    names = [each.item.user for each in given]
    users = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
    present = {
        (
            row.quota.group_id,
            row.user_id,
            QuotaSubject(row.quota.pool_id, row.quota.resource, row.quota.model),
        ): row.ceiling
        for row in MemberCeiling.objects.filter(quota__group__in=groups).select_related("quota")
    }
    edits: list[MemberEdit] = []
    for each in given:
        item = each.item
        if item.user not in users:
            faults.append(fault_at(item.row, "user", "not_a_member", group=item.group))
            continue
        if item.limits.keys() - {"ceiling"}:
            faults.append(fault_at(item.row, "user", "csv_member_has_a_ceiling"))
            continue
        user_id = users[item.user]
        before = present.get((each.group_id, user_id, each.what))
        after = item.limits.get("ceiling", before)
        if after is not None and (each.group_id, user_id) not in members:
            faults.append(fault_at(item.row, "user", "not_a_member", group=item.group))
        elif after != before:
            most = None if after is None else int(after)
            edits.append(MemberEdit(each.group_id, user_id, each.what, before, most))
    return edits
