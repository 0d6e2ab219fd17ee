"""Admission: resolve the names in a submission and hold it to every limit, in one call.

`admit` serves both submissions and dry runs; only a submission is checked against what others
submit at the same moment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.apps.models import WebApp
from portal.catalog.models import Image
from portal.catalog.selectors import may_use
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, ExhaustedError, InvalidError, NotFoundError
from portal.common.uses.files import file_references
from portal.common.work_kinds import KINDS, kinds_where
from portal.datasets.pinning import pin_versions
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.inventory.policy import read_policy
from portal.quotas import selectors as quota_selectors
from portal.quotas.priorities import PRIORITY_NAMES
from portal.quotas.selectors import SubmissionLimits
from portal.secrets.selectors import find_unknown_for_system
from portal.secrets.uses import parse_uses
from portal.submission_rules.terms import RulesInForce
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.workloads.dependencies import (
    DependencyRequest,
    holds_of_unsaved,
    resolve_dependencies,
)
from portal.workloads.models import Dependency, Workload
from portal.workloads.request_columns import columns_of
from portal.workloads.state.silence import effective_term
from portal.workloads.submission import named_rows
from portal.workloads.submission.backend_checks import require_supported
from portal.workloads.submission.dry_run import as_pending, build_pending
from portal.workloads.submission.file_inputs import resolve_files
from portal.workloads.submission.gpu_fractions import fit_request_to_pool
from portal.workloads.submission.refusals import find_refusals
from portal.workloads.submission.rule_checks import (
    requested_fields,
    require_allowed,
    rules_of_place,
    without_devices,
)
from portal.workloads.submission.volume_room import require_room
from scheduler.core.model.entities import PendingWorkload, Request
from scheduler.core.model.states import TERMINAL


@dataclass(frozen=True, slots=True)
class Submission:
    """What a user submits; group, pool and image by id or by name.

    Every field that admission does not resolve (see `Admitted`) is stored in the column of its name.
    """

    kind: str
    group: str
    request: Request
    name: str = ""
    image: str = ""
    """Empty only in a dry run: any image."""
    pool: str = ""
    """Empty: the pool that serves this kind of work."""
    time_limit_s: int | None = None
    gpu_memory_ceiling_mib: int | None = None
    """What a share may grow to; None is as far as the pool allows."""
    priority: int = 0
    priority_until: datetime | None = None
    """When the priority falls back to normal; None is never."""
    silence: str = ""
    """A term of silence at least as strict as the pool's; empty is the pool's."""
    preemptible: bool = False
    """May be evicted for other work and is queued again then."""
    retries_max: int = 0
    restart: Mapping[str, Any] = field(default_factory=dict)
    """When it is started again after an end; see `portal.workloads.retry`."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    not_before: datetime | None = None
    """Its first start is no earlier."""
    held_by: str = ""
    """Waits until it is released; one of `Workload.HeldBy`."""
    dependencies: Sequence[DependencyRequest] = ()
    app: WebApp | None = None
    """Of a session of a web app, with `app_folder`."""
    app_folder: str = ""
    simulated: bool = False
    """Of the demo's activity: no request can say so."""
    rules: RulesInForce | None = None
    """Of its group and pool, where they were read to complete it; else admission reads them."""


class NearLimitError(Exception):
    """Beside others of the user, this submission could exceed a limit; it must be admitted alone."""


_RESOLVED: Final = frozenset(
    {"group", "request", "image", "pool", "time_limit_s", "dependencies", "rules"}
)
_STORED: Final = tuple(item.name for item in fields(Submission) if item.name not in _RESOLVED)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An admitted submission: its names resolved, its request as its pool understands it."""

    submission: Submission
    user_id: UUID
    group: Group
    pool: Pool
    image: Image | None
    """None only in a dry run that names none."""
    request: Request
    time_limit_s: int | None
    """None where its end is open."""
    owner: User | None = None
    """None in a dry run."""
    dependencies: Sequence[Dependency] = ()
    """Unsaved; none in a dry run."""

    def columns(self) -> dict[str, Any]:
        """Return the columns of the workload that it becomes."""
        return {
            **({"owner": self.owner} if self.owner else {"owner_id": self.user_id}),
            "group": self.group,
            "pool": self.pool,
            "image": self.image,
            "time_limit_s": self.time_limit_s,
            **{name: getattr(self.submission, name) for name in _STORED},
            "files": file_references(self.submission.spec, self.user_id),
            **columns_of(self.request),
        }

    def as_pending(self) -> PendingWorkload:
        """Return it as the engine would find it in the queue."""
        work = build_pending(
            self.columns(),
            pool=self.pool.pk,
            group=self.group.pk,
            user=self.user_id,
            request=self.request,
        )
        holds = holds_of_unsaved(self.dependencies)
        return replace(work, held=(*work.held, *holds)) if holds else work


def admit(
    actor: Actor,
    submission: Submission,
    *,
    is_dry_run: bool = False,
    tasks: int = 1,
    is_alone: bool = True,
    must_be_possible: bool = True,
) -> Admitted:
    """Resolve a submission and refuse it where the actor, the pool or a limit does not allow it.

    A group that the actor cannot see does not exist; one where the actor may only look refuses.
    Unless it is a dry run, group and pool are locked until the caller's transaction ends, so that
    what was checked holds for what is stored: the pool is neither cut again nor removed meanwhile.
    The limits of the user are checked last. Where it `is_alone`, no other submission of the user is
    admitted from there until the transaction ends; where not, others are, too, as long as all
    of them together cannot exceed a limit.
    Where it need not be possible, one that could never start is admitted as well.
    `tasks` is how many equal workloads are queued; a limit on queued work counts each.

    Raises:
        DomainError: the first reason against it, with its numbers.
        NearLimitError: it must be alone; roll back what was locked, and admit it again.
    """
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.WORKLOAD_SUBMIT)
    group = _find_group(actor, submission.group, is_locked=not is_dry_run)
    pool = find_pool(submission.pool, submission.kind, is_locked=not is_dry_run)
    limits = _limits(actor, actor.user_id, group.pk, submission.priority)
    rules = submission.rules
    if rules is None:
        rules = rules_of_place(submission.kind, group.pk, pool.pk)
    time_limit_s = _time_limit_s(submission, limits, pool, rules)
    _require_strict_enough(submission.silence, pool)
    if limits.is_priority_limited:
        require_priority(actor, group.pk, submission.priority)
    ceiling_mib = submission.gpu_memory_ceiling_mib
    request = fit_request_to_pool(pool, submission.request, ceiling_mib)
    if not is_dry_run:
        spec = resolve_files(actor, group.pk, submission.spec)
        submission = replace(submission, spec=_with_pinned_datasets(group.pk, spec))
    image = None
    if submission.image or not is_dry_run:
        image = find_image(actor, submission.image, submission.kind)
    found = Admitted(submission, actor.user_id, group, pool, image, request, time_limit_s)
    require_allowed(rules, _fields_of(found, is_dry_run=is_dry_run))
    require_supported(pool, submission.kind, request, submission.spec)
    if is_dry_run:
        return found
    _require_usable_secrets(actor.user_id, group.pk, submission.spec)
    require_room(submission.kind, actor.user_id, group.pk, submission.spec)
    if must_be_possible:
        require_possible(found.as_pending())
    dependencies = resolve_dependencies(actor, submission.dependencies)
    owner = _count(limits, found, tasks=tasks, is_alone=is_alone)
    return replace(found, owner=owner, dependencies=dependencies)


@transaction.atomic
def rehearse(actor: Actor, submission: Submission, *, tasks: int = 1) -> Admitted:
    """Return a whole submission as it would be admitted now, with all its refusals; nothing is stored.

    Only one that could never start is returned like any other: the dry run says why.
    """
    return admit(actor, submission, tasks=tasks, must_be_possible=False)


def readmit(workload: Workload) -> int | None:
    """Admit suspended work again, and return its time limit in seconds; None with an open end.

    The limit is shorter than before where a limit of pool, group or member was lowered since.
    """
    require_possible(as_pending(workload))
    owner_id, group_id = workload.owner_id, workload.group_id
    limits = quota_selectors.submission_limits_for_system(group_id, owner_id)
    named_rows.lock_owner(owner_id, is_shared=False)
    _require_place(limits, owner_id, group_id, tasks=1)
    if workload.time_limit_s is None:
        return None
    return min(workload.time_limit_s, limits.longest_run_s(workload.pool.time_limit_s_max))


def _find_group(actor: Actor, reference: str, *, is_locked: bool) -> Group:
    group = named_rows.find_named(Group, reference, is_locked=is_locked)
    if group is None or not policies.can_see_group(actor, group.pk):
        raise NotFoundError("group")
    policies.require(actor, Action.WORKLOAD_SUBMIT, group.pk)
    if named_rows.has_children(group.pk):
        raise InvalidError("group_not_leaf", pointer="/group", group=group.name)
    return group


def find_pool(name: str, kind: str, *, is_locked: bool) -> Pool:
    """Return the pool of this id or name, or without one the pool that serves this kind of work."""
    if name:
        found = named_rows.find_named(Pool, name, is_locked=is_locked)
    else:
        found = named_rows.find_serving_pool(KINDS[kind].purpose, is_locked=is_locked)
    if found is None and not name:
        raise InvalidError("no_pool_serves_this", pointer="/pool", kind=kind)
    if found is None:
        raise InvalidError("unknown_pool", pointer="/pool", pool=name[:63])
    return found


def _limits(actor: Actor, user_id: UUID, group_id: UUID, priority: int) -> SubmissionLimits:
    role = actor.roles.get(group_id, "")
    return quota_selectors.submission_limits_for_system(
        group_id, user_id, role=role, priority=priority
    )


def _fields_of(found: Admitted, *, is_dry_run: bool) -> dict[str, Any]:
    """Return what rules are about; a dry run is asked about a part of it."""
    submission, spec = found.submission, found.submission.spec
    asked = requested_fields(submission.request)
    if found.time_limit_s is not None:
        asked["time_limit_s"] = found.time_limit_s
    if "build" in spec:
        return without_devices(asked)
    asked |= {"preemptible": submission.preemptible}
    asked |= {"priority": PRIORITY_NAMES.get(submission.priority, "normal")}
    if found.image is not None:
        asked["image"] = found.image.name
    if is_dry_run:
        return asked
    words = {name: spec[name] for name in ("launcher", "notice_signal") if name in spec}
    more = {"retries_max": submission.retries_max, "silence": submission.silence}
    return {**asked, **more, **words, "home": bool(spec.get("home"))}


def _time_limit_s(
    submission: Submission, limits: SubmissionLimits, pool: Pool, rules: RulesInForce
) -> int | None:
    if KINDS[submission.kind].traits.open_end:
        return None
    most = limits.longest_run_s(pool.time_limit_s_max)
    usual = max(pool.default_time_limit_s, rules.shortest_run_s())
    limit = submission.time_limit_s or min(usual, rules.longest_run_s(most))
    if KINDS[submission.kind].is_prescribed:
        return min(limit, most)  # nobody has asked for it
    if limit > most:
        raise InvalidError("time_limit_too_long", pointer="/time_limit_s", max=most)
    return limit


def _require_strict_enough(silence: str, pool: Pool) -> None:
    """Refuse a term of silence that loosens the pool's."""
    of_pool = read_policy(pool.name, pool.policy).silence
    if silence and effective_term(of_pool, silence) != silence:
        raise InvalidError("silence_looser_than_pool", pointer="/silence", pool=pool.name)


def require_priority(actor: Actor, group_id: UUID, priority: int) -> None:
    """Refuse a priority above what the actor's role, or the actor, may give in the group."""
    role = actor.roles.get(group_id)
    if role is None:
        return
    limits = quota_selectors.highest_priorities_for_system(actor.user_id, {group_id: role})
    most = limits.get(group_id, priority)
    if priority > most:
        raise InvalidError("priority_too_high", pointer="/priority", priority=PRIORITY_NAMES[most])


def find_image(actor: Actor, name: str, kind: str) -> Image:
    """Return the active image of this id or name that the actor may use, for this kind of work."""
    found = named_rows.find_named(Image, name)
    if found is None or not may_use(actor, found):
        raise InvalidError("unknown_image", pointer="/image", image=name[:63])
    column = KINDS[kind].images
    if column and not getattr(found, column):
        raise InvalidError("image_not_for_kind", pointer="/image", image=found.name, kind=kind)
    return found


def _with_pinned_datasets(group_id: UUID, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the spec with a version of each data set; without any nothing is asked."""
    named = spec.get("datasets")
    return {**spec, "datasets": pin_versions(group_id, named)} if named else spec


def _require_usable_secrets(user_id: UUID, group_id: UUID, spec: Mapping[str, Any]) -> None:
    """Refuse secrets that neither the caller nor the group has, by the name that was given."""
    unknown = find_unknown_for_system(parse_uses(spec), user_id=user_id, group_id=group_id)
    if unknown is not None:
        raise InvalidError("unknown_secret", pointer="/secrets", secret=unknown.name)


def require_possible(work: PendingWorkload) -> None:
    """Refuse what no node, or no quota, could ever grant, with the numbers."""
    if reasons := find_refusals(work):
        raise InvalidError(reasons[0].code.value, **reasons[0].params)


def _count(limits: SubmissionLimits, found: Admitted, *, tasks: int, is_alone: bool) -> User:
    if is_alone or KINDS[found.submission.kind].is_counted:
        return _count_in(limits, found, tasks=tasks)
    return _count_in_beside_others(limits, found.user_id, found.group.pk)


def _count_in(limits: SubmissionLimits, found: Admitted, *, tasks: int) -> User:
    """Hold a user to the counted limits of a group, exactly, and return the user.

    Other submissions of the user wait until this one has committed.
    """
    user_id, group_id = found.user_id, found.group.pk
    owner = named_rows.lock_owner(user_id, is_shared=False)
    _require_place(limits, user_id, group_id, tasks=tasks)
    is_counted = KINDS[found.submission.kind].is_counted
    if is_counted and limits.environments_max is not None:
        own = Workload.objects.filter(owner=user_id, group=group_id)
        counted = kinds_where(lambda terms: terms.is_counted)
        kept = own.filter(kind__in=counted).exclude(state__in=TERMINAL)
        _require_below("environments", limits.environments_max, kept.count())
    return owner


def _count_in_beside_others(limits: SubmissionLimits, user_id: UUID, group_id: UUID) -> User:
    """Hold a user to the limit on queued work, exactly, and return the user.

    What others have not committed is not counted, but there is never more of it than PostgreSQL has
    sessions, and each queues one workload.
    """
    owner = named_rows.lock_owner(user_id, is_shared=True)
    if limits.pending_max is not None:
        used, sessions = named_rows.count_queued(user_id, group_id)
        if used + sessions > limits.pending_max:
            raise NearLimitError
    return owner


def _require_place(limits: SubmissionLimits, user_id: UUID, group_id: UUID, *, tasks: int) -> None:
    """Refuse what would be more queued work than is allowed; each task of an array counts."""
    limit = limits.pending_max
    if limit is None:
        return
    used, _ = named_rows.count_queued(user_id, group_id)
    if tasks > 1 and used + tasks > limit:
        raise ExhaustedError(
            "array_over_pending", pointer="/array", tasks=tasks, limit=limit, used=used
        )
    _require_below("pending", limit, used)


def _require_below(counter: str, limit: int, used: int) -> None:
    if used >= limit:
        raise ExhaustedError("user_counter", counter=counter, limit=limit, used=used)
