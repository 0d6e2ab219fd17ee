"""Endpoints of all kinds of work: list, event log, checkpoint, dry run, advice, the wait of one."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.files import csv_response
from portal.common.rest.manifests import ManifestParser
from portal.common.rest.pagination import paginate, sort
from portal.common.rest.parsing import StrictJSONParser
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.work_kinds import KINDS
from portal.tenancy import policies
from portal.workloads import selectors, services
from portal.workloads.departures.handover import hand_over
from portal.workloads.operations.group_order import GroupPlace, place_in_group
from portal.workloads.operations.removal import remove_workload
from portal.workloads.responses import http
from portal.workloads.responses.dry_runs import present_advice, present_dry_run
from portal.workloads.responses.list_files import workloads_csv
from portal.workloads.responses.list_queries import WorkloadQuery, ordering_of
from portal.workloads.responses.shapes import (
    AdviceAnswer,
    CheckpointShape,
    TagsShape,
    WorkloadDetail,
    WorkloadEventShape,
    WorkloadSummary,
)
from portal.workloads.responses.wait_shapes import DryRunAnswer, WaitAnswer
from portal.workloads.responses.waiting import present_wait
from portal.workloads.responses.workloads import present_events
from portal.workloads.submission.admission import admit, rehearse
from portal.workloads.submission.dry_run import advise_on_workload, run_dry
from portal.workloads.submission.inputs import (
    CheckpointInput,
    DryRunInput,
    HandoverInput,
    PlaceInput,
    PlannedSubmission,
    TagsInput,
    parse_submission,
    read_dry_run,
)
from portal.workloads.submission.waiting import examine_wait
from portal.workloads.tags import set_tags

Plan = Callable[[Mapping[str, Any], Actor], PlannedSubmission]
"""Reads the body of a submission."""


class WorkloadListView(ApiView):
    """Work of all kinds together."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(parameters=[WorkloadQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the work that the caller may see, newest first."""
        return http.respond_list(request, WorkloadQuery.parse(request))


class WorkloadListFileView(ApiView):
    """The list of work as a file."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(parameters=[WorkloadQuery], responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: ApiRequest) -> HttpResponse:
        """Download the work that the caller may see as CSV: the first 10,000 rows of the list."""
        filters = WorkloadQuery.parse(request)
        rows = selectors.workloads_visible_to(request.actor, filters)
        return csv_response(workloads_csv(sort(rows, ordering_of(filters))), "workloads")


class WorkloadDetailView(ApiView):
    """One workload, whatever its kind."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "DELETE": Action.WORKLOAD_STOP}

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one workload in full, for those who know its id and not its kind."""
        return http.respond_detail(request, workload_id)

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Delete ended work with its outputs and logs; what it used stays counted."""
        remove_workload(actor=request.actor, workload_id=workload_id)
        return Response(status=204)


class WorkloadEventsView(ApiView):
    """The event log of one workload."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=WorkloadEventShape(many=True))
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """List everything that ever happened to it, newest first."""
        NoFilters.parse(request)
        rows = selectors.events_visible_to(request.actor, workload_id)
        return paginate(request, rows, present_events)


class TagsView(ApiView):
    """The tags of one workload."""

    required_actions = {"PUT": Action.WORKLOAD_STOP}

    @extend_schema(request=TagsInput, responses=TagsShape)
    def put(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Replace its tags, by which lists find it."""
        selectors.workload_visible_to(request.actor, workload_id)
        given = TagsInput.parse(request)
        workload = set_tags(actor=request.actor, workload_id=workload_id, **given)
        return Response(TagsShape(workload).data)


class HandoverView(ApiView):
    """Whose one workload is."""

    required_actions = {"POST": Action.MEMBER_MANAGE}

    @extend_schema(request=HandoverInput, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Hand over work of somebody who may not submit any more; of an array, all its tasks.

        It is held until the new owner releases it, unless the caller takes it. What runs goes on as it is
        first, and nobody else gets into it.
        """
        selectors.workload_visible_to(request.actor, workload_id)  # unknown comes before malformed
        given = HandoverInput.parse(request)
        workload = hand_over(actor=request.actor, workload_id=workload_id, to=given["to"])
        return http.respond_accepted(request, workload)


class PlaceView(ApiView):
    """The place of waiting work among that of its group."""

    required_actions = {"POST": Action.WORKLOAD_ORDER}

    @extend_schema(request=PlaceInput, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Put waiting work before or behind the other work of its group and priority, or where it was.

        Of an array, all its tasks. No work of other groups gets another place.
        """
        selectors.workload_visible_to(request.actor, workload_id)  # unknown comes before malformed
        place = GroupPlace(PlaceInput.parse(request)["place"])
        workload = place_in_group(actor=request.actor, workload_id=workload_id, place=place)
        return http.respond_accepted(request, workload)


class CheckpointView(ApiView):
    """The report of running work that it is saved."""

    required_actions = {"POST": Action.WORKLOAD_STOP}

    @extend_schema(request=CheckpointInput, responses=CheckpointShape)
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Save that its work has a checkpoint now; an eviction loses only what comes after."""
        CheckpointInput.parse(request)
        workload = services.record_checkpoint(actor=request.actor, workload_id=workload_id)
        return Response(CheckpointShape(workload).data)


class DryRunView(ApiView):
    """What would become of a submission."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}
    parser_classes = [StrictJSONParser, ManifestParser]
    manifest_kinds = {name: terms.kind for terms in KINDS.values() for name in terms.manifests}
    plans: Mapping[str, Plan] = {}
    """By kind of work, what reads a whole body of its submission."""

    @extend_schema(request=DryRunInput, responses=DryRunAnswer)
    def post(self, request: ApiRequest) -> Response:
        """Return whether it would start now, wait (where, why) or be refused; nothing is stored.

        A whole body of a submission, with its `kind`, is refused as the submission would be.
        """
        asked, whole = read_dry_run(request.data)
        if whole is None:
            submission = parse_submission(asked["kind"], asked, {})
            admitted = admit(request.actor, submission, is_dry_run=True)
        else:
            planned = self.plans[asked["kind"]](whole, request.actor)
            admitted = rehearse(request.actor, planned.submission, tasks=planned.tasks)
        image_id = admitted.image.pk if admitted.image else None
        answer = run_dry(
            admitted.as_pending(),
            admitted.submission.kind,
            image_id=image_id,
            with_ways_out=asked["ways_out"],
        )
        return Response(present_dry_run(answer, request.actor))


class AdviceView(ApiView):
    """Whether a smaller request would be enough for work that was submitted."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=AdviceAnswer)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return what similar work has used, and which smaller requests would be enough; or null."""
        workload = selectors.workload_visible_to(request.actor, workload_id)
        return Response(present_advice(advise_on_workload(workload)))


class WaitView(ApiView):
    """What keeps queued work waiting, and ways out."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=WaitAnswer)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return who holds its limits until when, and changes after which it would start now.

        Ways out are shown to those who may take them. The answer is empty if it does not wait.
        """
        NoFilters.parse(request)
        workload = selectors.workload_visible_to(request.actor, workload_id)
        may_change = all(
            policies.can(request.actor, action, workload.group_id, owner_id=workload.owner_id)
            for action in (Action.WORKLOAD_SUBMIT, Action.WORKLOAD_STOP)
        )
        wait = examine_wait(workload, with_ways_out=may_change)
        return Response(present_wait(wait, request.actor))
