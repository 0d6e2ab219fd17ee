"""Doors to all kinds of work: the list, the event log, and the dry run."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.errors import DeniedError
from portal.common.pagination import paginate
from portal.common.serializers import NoFilters
from portal.common.views import ApiRequest, ApiView
from portal.workloads import selectors, services
from portal.workloads.models import Workload
from portal.workloads.responses import advice, http, presentation
from portal.workloads.responses.shapes import (
    AdviceAnswer,
    CheckpointShape,
    DryRunAnswer,
    WorkloadEventShape,
    WorkloadQuery,
    WorkloadSummary,
)
from portal.workloads.submission import admission, gpu_fractions
from portal.workloads.submission.dry_run import QueueTraits, advise_on_workload, run_dry
from portal.workloads.submission.inputs import CheckpointInput, DryRunInput, parse_request


class WorkloadListView(ApiView):
    """Environments and jobs together."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(parameters=[WorkloadQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the work that the caller may see, newest first."""
        return http.respond_list(request, WorkloadQuery.parse(request))


class WorkloadEventsView(ApiView):
    """The event log of one workload."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=WorkloadEventShape(many=True))
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """List everything that ever happened to it, newest first."""
        NoFilters.parse(request)
        rows = selectors.events_visible_to(request.actor, workload_id)
        return paginate(request, rows, presentation.present_events)


class CheckpointView(ApiView):
    """The word of running work that it is saved."""

    required_actions = {"POST": Action.WORKLOAD_STOP}

    @extend_schema(request=CheckpointInput, responses=CheckpointShape)
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Note that its work is saved now; what came before is not lost by an eviction."""
        CheckpointInput.parse(request)
        workload = services.record_checkpoint(actor=request.actor, workload_id=workload_id)
        return Response(CheckpointShape(workload).data)


class DryRunView(ApiView):
    """The question before the submission."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}

    @extend_schema(request=DryRunInput, responses=DryRunAnswer)
    def post(self, request: ApiRequest) -> Response:
        """Say whether it would start now, wait (where, why) or be refused; nothing is kept."""
        asked = DryRunInput.parse(request)
        actor, kind = request.actor, asked["kind"]
        if actor.user_id is None:
            raise DeniedError("denied", action=Action.WORKLOAD_SUBMIT)
        target = admission.target_of(
            actor=actor,
            kind=kind,
            group=asked["group"],
            pool=asked.get("pool", ""),
            time_limit_s=asked.get("time_limit_s"),
        )
        image = admission.image_for(kind, asked["image"]) if asked.get("image") else None
        answer = run_dry(
            kind=kind,
            group_id=target.group.pk,
            pool_id=target.pool.pk,
            user_id=actor.user_id,
            request=gpu_fractions.fit_request_to_pool(
                target.pool, parse_request(asked), asked["gpu_memory_ceiling_mib"]
            ),
            wishes=QueueTraits(
                priority=admission.PRIORITIES[asked["priority"]],
                time_limit_s=target.time_limit_s,
                preemptible=asked.get("preemptible", kind == Workload.Kind.TRAINING),
                image_id=image.pk if image else None,
            ),
        )
        return Response(DryRunAnswer(presentation.present_dry_run(answer, actor)).data)


class AdviceView(ApiView):
    """Whether less of a card would do for work that was submitted."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=AdviceAnswer)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Say what its like has used, and what smaller would be enough and start when; or nothing."""
        workload = selectors.workload_visible_to(request.actor, workload_id)
        found = advice.present_advice(advise_on_workload(workload))
        return Response(AdviceAnswer({"advice": found}).data)
