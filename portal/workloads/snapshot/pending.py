"""Queued workloads for the snapshot; of a long queue only rows that have changed are read.

Thousands wait, and few of them change between two passes. So each pass reads the versions of all
queued rows first, in one short text, and then the columns of those versions that this process has
not read yet.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from portal.common.clock import to_millis
from portal.common.postgresql.column_lists import SEPARATOR, fill_columns, select_list
from portal.common.work_kinds import KINDS, FullVolume, kinds_where
from portal.tenancy.submitters import find_without_right
from portal.workloads.dependencies import unsatisfied_for_system
from portal.workloads.full_volumes import (
    FileUser,
    full_volumes_for_system,
    reason_of,
    writers_of,
)
from portal.workloads.models import Workload
from portal.workloads.request_columns import (
    PENDING_COLUMNS,
    PENDING_FIELDS,
    REQUEST_COLUMNS,
    build_request,
)
from portal.workloads.run_times import LEARNED
from portal.workloads.snapshot.avoidance import load_avoided
from portal.workloads.snapshot.cached_contents import contents_of
from portal.workloads.snapshot.files import FileBinding, bind_to_files
from portal.workloads.snapshot.holds import OWNER_REASON, reason_of_begin_time, reason_of_hold
from portal.workloads.snapshot.running import LiveAllocation, fetch_rows
from scheduler.core.model.entities import (
    Millis,
    NodeId,
    PendingWorkload,
    Request,
)
from scheduler.core.model.reasons import Reason, ReasonCode


class _FurtherColumns(NamedTuple):
    """Columns of a queued workload besides `PENDING_COLUMNS` and `REQUEST_COLUMNS`."""

    kind: str
    image: str
    command_digest: str
    priority_until: Millis | None
    retry_at: Millis | None
    not_before: Millis | None
    held_by: str
    files: str


class _UsedFiles(NamedTuple):
    """What work of a kind uses besides its own folder."""

    kind: str
    references: str


_PENDING: Final = 2
"""Position of `PENDING_COLUMNS`, after the version of the row and the reference of its image."""
_FURTHER: Final = _PENDING + len(PENDING_COLUMNS)
"""Position of the further columns."""
_REQUEST: Final = _FURTHER + len(_FurtherColumns._fields)
"""Position of the request columns, which are the last."""
_VERSIONS: Final = """
SELECT pg_postmaster_start_time()::text, string_agg(queued.version, ' ') FROM (
    SELECT id::text || xmin::text || ctid::text AS version
    FROM workloads_workload WHERE state = 'queued' ORDER BY id
) queued
"""
"""A row that is written again, even in the same transaction, has another version."""
_ID: Final = slice(36)
"""Where the key stands in a version."""
_QUEUED: Final = fill_columns(
    """
SELECT work.id::text || work.xmin::text || work.ctid::text, image.reference, {columns}, {request}
FROM workloads_workload work JOIN catalog_image image ON image.id = work.image_id
WHERE work.id = ANY(%(keys)s::uuid[])
""",
    columns=select_list(Workload, (*PENDING_COLUMNS, *_FurtherColumns._fields), table="work"),
    request=select_list(Workload, REQUEST_COLUMNS, table="work"),
)
_LOCAL_FILES: Final = """
SELECT work.id::text, last.node_id::text
FROM workloads_workload work
JOIN LATERAL (
    SELECT node_id FROM workloads_allocation
    WHERE workload_id = work.id AND started_at IS NOT NULL ORDER BY epoch DESC LIMIT 1
) last ON true
JOIN inventory_node node ON node.id = last.node_id
WHERE work.state = 'queued' AND work.kind = ANY(%(kept)s) AND node.state <> 'retired'
    AND node.faults @> '[{"code": "storage_local"}]'
    AND EXISTS (SELECT 1 FROM inventory_node WHERE faults @> '[{"code": "storage_local"}]')
"""
"""Notebooks whose files are on the node that ran them last, and nowhere else.

The last condition is asked once for all: where every node shares its storage, the queue is not gone through.
"""


_RECOVERING: Final = """
SELECT work.id::text FROM workloads_recovery recovery
JOIN workloads_workload work ON work.created_at <= recovery.created_at
WHERE recovery.finished_at IS NULL AND work.state = 'queued'
UNION
SELECT work.id::text FROM workloads_forgottencontainer found
JOIN workloads_workload work ON work.id = found.workload_id
WHERE work.state = 'queued'
"""
"""Work of which an attempt may run that a restored database does not know."""
_RECOVERY_REASON: Final = (Reason(ReasonCode.PORTAL_RECOVERING),)


def load_pending(held: Collection[LiveAllocation], moment: datetime) -> tuple[PendingWorkload, ...]:
    """Return every queued workload as of this moment, in the order of ids."""
    LEARNED.refresh(moment)
    still_held = Counter(item.workload for item in held)
    avoid = load_avoided(moment)
    kept = kinds_where(lambda terms: terms.is_kept)
    homes = dict(fetch_rows(_LOCAL_FILES, {"kept": kept}))
    workloads, timed, used = _CACHE.read()
    files = {key: each.references for key, each in used.items()}
    bound = bind_to_files(set(files.values()))
    elsewhere = {key: bound[used] for key, used in files.items() if used in bound} if bound else {}
    waiting_for = unsatisfied_for_system()
    without_room = find_without_room(workloads, used)
    recovering = {key for (key,) in fetch_rows(_RECOVERING, {})}
    left = find_without_right({(item.user, item.group) for item in workloads})
    changing = {
        *still_held,
        *avoid,
        *homes,
        *timed,
        *waiting_for,
        *elsewhere,
        *recovering,
        *without_room,
    }
    at = Millis(to_millis(moment))

    def as_of_now(workload: PendingWorkload) -> PendingWorkload:
        times = timed.get(workload.id, _TIMELESS)
        binding = _also_at(homes.get(workload.id), elsewhere.get(workload.id, _UNBOUND))
        return replace(
            workload,
            priority=times.priority_at(workload.priority, at),
            request=_bind_to_nodes(workload.request, binding),
            held=(
                *OWNER_REASON[: (workload.user, workload.group) in left],
                *workload.held,
                *reason_of_begin_time(times.not_before, at),
                *binding.reasons,
                *without_room.get(workload.id, ()),
                *waiting_for.get(workload.array or workload.id, ()),
                *_RECOVERY_REASON[: workload.id in recovering],
                *_blocking_reasons(still_held[workload.id], times.paused_until(at)),
            ),
            avoid=avoid.get(workload.id, frozenset()),
        )

    if waiting_for or left:
        changing |= {
            item.id
            for item in workloads
            if item.array in waiting_for or (item.user, item.group) in left
        }
    return tuple([as_of_now(item) if item.id in changing else item for item in workloads])


def find_without_room(
    workloads: Collection[PendingWorkload], used: Mapping[str, _UsedFiles]
) -> Mapping[str, tuple[Reason, ...]]:
    """Return the reasons of queued work that would write to full volumes; notebooks start all the same."""
    full = full_volumes_for_system() if used else {}
    users = (
        FileUser(UUID(work.id), UUID(work.user), UUID(work.group), mine.references.split(SEPARATOR))
        for work in workloads
        if full and (mine := used.get(work.id)) and _waits_for_room(mine.kind)
    )
    return {str(key): (reason_of(rows),) for key, rows in writers_of(full, users).items()}


def _waits_for_room(kind: str) -> bool:
    return KINDS[kind].full_volume is FullVolume.WAITS


class _TimedColumns(NamedTuple):
    """Columns of a queued row whose meaning changes with time."""

    priority_until: Millis | None = None
    retry_at: Millis | None = None
    not_before: Millis | None = None

    def priority_at(self, stored: int, now: Millis) -> int:
        """Return the priority at a moment: a raised one has an end."""
        is_over = self.priority_until is not None and self.priority_until <= now
        return 0 if is_over else stored

    def paused_until(self, now: Millis) -> Millis | None:
        """Return until when the workload pauses after a failure; None if it does not."""
        is_paused = self.retry_at is not None and self.retry_at > now
        return self.retry_at if is_paused else None


_TIMELESS: Final = _TimedColumns()
_UNBOUND: Final = FileBinding()


class _CachedQueue(NamedTuple):
    """Queued rows that were read, as long as their versions mean the same."""

    server: str = ""
    """Start time of PostgreSQL: versions mean nothing to another server, or to a restored one."""
    learned_at: datetime | None = None
    """Expected run times in `workloads` are those learned then."""
    workloads: Mapping[str, PendingWorkload] = MappingProxyType({})
    """By version, in the order of ids; as if nothing but a hold kept them back."""
    timed: Mapping[str, _TimedColumns] = MappingProxyType({})
    """By version, of the few that have such columns."""
    files: Mapping[str, _UsedFiles] = MappingProxyType({})
    """By version, of those that use files besides their own folder."""


class _QueueCache:
    """The queue as this process has read it last."""

    def __init__(self) -> None:
        self._known = _CachedQueue()

    def read(
        self,
    ) -> tuple[Collection[PendingWorkload], Mapping[str, _TimedColumns], Mapping[str, _UsedFiles]]:
        """Return what is queued, in the order of ids; and by id, columns that change with time, and files.

        Only versions that were not read before are read.
        """
        ((server, names),) = fetch_rows(_VERSIONS, {})
        known = self._known
        if (known.server, known.learned_at) != (server, LEARNED.learned_at):
            known = _CachedQueue(server, LEARNED.learned_at)
        versions = names.split(" ") if names else []
        found = dict(zip(versions, map(known.workloads.get, versions), strict=True))
        timed, files = dict(known.timed), dict(known.files)
        for columns in _fetch([name for name, work in found.items() if work is None]):
            version, reference = columns[:_PENDING]
            if version not in found:
                continue  # written again since, in a transaction that sees that
            further = _FurtherColumns._make(columns[_FURTHER:_REQUEST])
            stored = dict(zip(PENDING_FIELDS, columns[_PENDING:_FURTHER], strict=True))
            stored["contents"] = contents_of(reference, further.files)
            request = build_request(columns[_REQUEST:])
            found[version] = _pending_workload(stored, further, request)
            times = _TimedColumns(further.priority_until, further.retry_at, further.not_before)
            if times != _TIMELESS:
                timed[version] = times
            if further.files:
                files[version] = _UsedFiles(further.kind, further.files)
        workloads = {name: work for name, work in found.items() if work is not None}
        timed = {name: times for name, times in timed.items() if name in workloads}
        files = {name: used for name, used in files.items() if name in workloads}
        self._known = known._replace(workloads=workloads, timed=timed, files=files)
        return (
            workloads.values(),
            {name[_ID]: times for name, times in timed.items()},
            {name[_ID]: used for name, used in files.items()},
        )


_CACHE: Final = _QueueCache()
"""Of this process."""


def _fetch(versions: Iterable[str]) -> Sequence[tuple[Any, ...]]:
    """Return version, image, `PENDING_COLUMNS`, `_FurtherColumns` and `REQUEST_COLUMNS` of these rows."""
    keys = [name[_ID] for name in versions]
    return fetch_rows(_QUEUED, {"keys": keys}) if keys else ()


def _pending_workload(
    stored: Mapping[str, Any], further: _FurtherColumns, request: Request
) -> PendingWorkload:
    """Return a queued workload; `stored` are its `PENDING_FIELDS`, and its contents."""
    expected_s = None
    terms = KINDS[further.kind]
    if terms.runs_to_end:
        traits = stored["group"], stored["user"], request, further.image, further.command_digest
        expected_s = LEARNED.predict_s(traits)
    held = reason_of_hold(further.held_by)
    return PendingWorkload(
        request=request,
        expected_s=expected_s,
        held=held,
        traits=terms.traits,
        **stored,
    )


def _also_at(home: NodeId | None, binding: FileBinding) -> FileBinding:
    """Return where work may start whose own folder is on one node, too."""
    if home is None:
        return binding
    if not binding.nodes or home in binding.nodes:
        return replace(binding, nodes=frozenset({home}))
    return FileBinding(frozenset({home}), (Reason(ReasonCode.HOME_UNAVAILABLE, {}),))


def _bind_to_nodes(request: Request, binding: FileBinding) -> Request:
    if not binding.nodes:
        return request
    return replace(request, home_nodes=binding.nodes, builds_image=binding.builds_image)


def _blocking_reasons(allocations: int, retry_at: Millis | None) -> tuple[Reason, ...]:
    """Return what keeps the workload from starting whatever is free.

    That is an earlier attempt that is not proven gone yet, or the pause after a failure.
    """
    found: tuple[Reason, ...] = ()
    if allocations:
        found = (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": allocations}),)
    if retry_at is not None:
        found = (*found, Reason(ReasonCode.WAITING_TO_RETRY, {"retry_at": retry_at}))
    return found
