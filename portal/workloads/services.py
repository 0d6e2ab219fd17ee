"""What people and pipelines do to workloads: submit, start again, end; each one transaction."""

from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError
from portal.quotas import services as quotas
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.models import Workload
from portal.workloads.request_columns import build_request, columns_of
from portal.workloads.run_times import digest_command
from portal.workloads.state import allocations, lifecycle
from portal.workloads.state.transitions import move_workload, record_arrival
from portal.workloads.submission import admission, gpu_fractions
from portal.workloads.submission.admission import Submission, Target
from scheduler.core.model.states import TERMINAL, WorkloadState


@transaction.atomic
def submit_workload(*, actor: Actor, submission: Submission) -> Workload:
    """Queue new work; what could never start, and what a counted limit forbids, is refused."""
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.WORKLOAD_SUBMIT)
    kind = submission.kind
    target = admission.target_of(
        actor=actor,
        kind=kind,
        group=submission.group,
        pool=submission.pool,
        time_limit_s=submission.time_limit_s,
        is_kept=True,
    )
    request = gpu_fractions.fit_request_to_pool(
        target.pool, submission.request, submission.gpu_memory_ceiling_mib
    )
    image = admission.image_for(kind, submission.image)
    admission.require_readable(target.group.pk, submission.spec.get("datasets", ()))
    admission.require_possible(kind=kind, target=target, user_id=actor.user_id, request=request)
    admission.count_in(
        user_id=actor.user_id,
        group_id=target.group.pk,
        is_new_environment=kind == Workload.Kind.ENVIRONMENT,
    )
    workload = Workload.objects.create(
        kind=kind,
        name=submission.name,
        owner_id=actor.user_id,
        group=target.group,
        pool=target.pool,
        image=image,
        replicas=request.replicas,
        gpus=request.gpus,
        slices=request.slices,
        gpu_milli=request.gpu_milli,
        gpu_memory_mib=request.gpu_memory_mib,
        gpu_memory_ceiling_mib=submission.gpu_memory_ceiling_mib,
        mig_profile=request.mig_profile,
        cpu_milli=request.cpu_milli,
        memory_mib=request.memory_mib,
        priority=submission.priority,
        priority_until=submission.priority_until,
        preemptible=submission.preemptible,
        time_limit_s=target.time_limit_s,
        retries_max=submission.retries_max,
        restart=dict(submission.restart),
        spec=dict(submission.spec),
        command_digest=digest_command(submission.spec),
    )
    record_arrival(workload, "", actor=actor)
    _audit(actor, "workload.submit", workload)
    return workload


@transaction.atomic
def restart_workload(*, actor: Actor, workload_id: UUID, kind: str) -> Workload:
    """Queue suspended work again under its old id; work that is already under way stays as it is."""
    seen = selectors.workload_visible_to(actor, workload_id, kind)
    policies.require(actor, Action.WORKLOAD_SUBMIT, seen.group_id, what="workload")
    _require_control(actor, seen)
    workload = lifecycle.lock_workload(workload_id)
    state = WorkloadState(workload.state)
    if state in TERMINAL or state is WorkloadState.STOPPING:
        raise ConflictError("not_startable", state=state.value)
    if state is not WorkloadState.SUSPENDED:
        return workload
    request = build_request(columns_of(workload))
    most = admission.longest_run_s(workload.group, workload.pool, workload.owner_id)
    target = Target(workload.group, workload.pool, min(workload.time_limit_s, most))
    admission.require_possible(kind=kind, target=target, user_id=workload.owner_id, request=request)
    admission.count_in(
        user_id=workload.owner_id, group_id=workload.group_id, is_new_environment=False
    )
    if workload.time_limit_s != target.time_limit_s:  # a limit was lowered since it ran last
        workload.time_limit_s = target.time_limit_s
        workload.save(update_fields=["time_limit_s"])
    move_workload(workload, WorkloadState.QUEUED, actor=actor)
    _audit(actor, "workload.start", workload)
    return workload


@transaction.atomic
def end_workload(
    *, actor: Actor, workload_id: UUID, kind: str, outcome: WorkloadState, action: str
) -> Workload:
    """Ask work to end; asking again changes nothing, and ended work refuses another end."""
    _require_control(actor, selectors.workload_visible_to(actor, workload_id, kind))
    workload = lifecycle.lock_workload(workload_id)
    if workload.state in TERMINAL and workload.state != outcome:
        raise ConflictError("already_ended", state=workload.state)
    before = workload.version
    lifecycle.request_stop(workload, outcome=outcome, cause="requested", actor=actor)
    if workload.version != before:
        _audit(actor, action, workload)
    return workload


@transaction.atomic
def record_checkpoint(*, actor: Actor, workload_id: UUID) -> Workload:
    """Remember that running work is saved now: what is evicted first is what loses least."""
    _require_control(actor, selectors.workload_visible_to(actor, workload_id))
    workload = lifecycle.lock_workload(workload_id)
    # During its notice, evicted work is queued again already: that is when it saves itself.
    if workload.state != WorkloadState.RUNNING and not allocations.live_allocations(workload):
        raise ConflictError("not_running", state=workload.state)
    workload.checkpointed_at = now()
    workload.save(update_fields=["checkpointed_at"])
    return workload


def recount_quotas() -> int:
    """Set every quota counter to what is really held; return how many were wrong."""
    return quotas.recount_quotas(selectors.uses_for_system)


def _require_control(actor: Actor, workload: Workload) -> None:
    policies.require(
        actor,
        Action.WORKLOAD_STOP,
        workload.group_id,
        owner_id=workload.owner_id,
        what="workload",
    )


def _audit(actor: Actor, action: str, workload: Workload) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "state": workload.state},
    )
