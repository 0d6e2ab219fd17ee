"""Endpoints of services and of their replicas."""

from functools import partial
from typing import ClassVar, Protocol
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.idempotency import idempotent
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.serving import replicas, selectors, services
from portal.serving.api.answers import (
    present_replicas,
    present_revisions,
    present_service,
    present_services,
    present_steps,
)
from portal.serving.api.shapes import (
    ReplicaShape,
    RevisionShape,
    ScalingStepShape,
    ServiceDetail,
    ServicePresetsShape,
    ServiceSummary,
)
from portal.serving.inputs import (
    CanaryEndQuery,
    CanaryInput,
    ReplicaQuery,
    RollBackInput,
    ScaleInput,
    ServiceChangeInput,
    ServiceInput,
    ServiceQuery,
    merge_change,
    split_service,
)
from portal.serving.models import Service
from portal.serving.presets import SERVICE_PRESETS
from portal.workloads.responses import http
from portal.workloads.responses.list_queries import OneKindQuery
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadSummary


class ServicePresetListView(ApiView):
    """Servers that services can run as they are."""

    required_actions = {"GET": Action.IMAGE_VIEW}
    is_paged = False

    @extend_schema(responses=ServicePresetsShape)
    def get(self, request: ApiRequest) -> Response:
        """List what is known of them; the image is the caller's to name."""
        NoFilters.parse(request)
        return Response(ServicePresetsShape({"presets": SERVICE_PRESETS.values()}).data)


class ServiceListView(http.SubmissionView):
    """All services, and new ones."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    manifest_kinds = {"Service": ""}

    @extend_schema(parameters=[ServiceQuery], responses=ServiceSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the services that the caller may see, newest first."""
        rows = selectors.services_visible_to(request.actor, ServiceQuery.parse(request))
        return paginate(request, rows, present_services)

    @extend_schema(request=ServiceInput, responses={202: ServiceDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Create a service; its replicas are queued like all work."""
        given = ServiceInput.parse(request)
        terms, spec = split_service(given)
        service = services.create_service(
            actor=request.actor, group=given["group"], terms=terms, spec=spec
        )
        return _respond_accepted(request.actor, service)


class ServiceDetailView(ApiView):
    """One service."""

    required_actions = {
        "GET": Action.WORKLOAD_VIEW,
        "PATCH": Action.WORKLOAD_SUBMIT,
        "DELETE": Action.WORKLOAD_STOP,
    }

    @extend_schema(responses=ServiceDetail)
    def get(self, request: ApiRequest, service_id: UUID) -> Response:
        """Return one service in full."""
        service = selectors.service_visible_to(request.actor, service_id)
        return Response(present_service(service, request.actor))

    @extend_schema(request=ServiceChangeInput, responses={202: ServiceDetail})
    @idempotent
    def patch(self, request: ApiRequest, service_id: UUID) -> Response:
        """Change a service; a change of what its replicas run is rolled out, or is a canary at first."""
        seen = selectors.service_visible_to(request.actor, service_id)
        change = ServiceChangeInput.parse(request)
        newest = selectors.newest_revision_for_system(seen)
        whole = merge_change(seen, newest.spec, change)
        terms, spec = split_service(whole)
        service = services.change_service(
            actor=request.actor,
            service_id=service_id,
            terms=terms,
            spec=spec,
            canary_pct=change.get("canary_pct"),
            version=change.get("version", seen.version),
        )
        return _respond_accepted(request.actor, service)

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, service_id: UUID) -> Response:
        """Delete a service; its replicas finish what they answer, and what they used stays counted."""
        services.delete_service(actor=request.actor, service_id=service_id)
        return Response(status=204)


class ServiceAction(Protocol):
    """A service function that does something to one service."""

    def __call__(self, *, actor: Actor, service_id: UUID) -> Service:
        """Return the service as it is afterwards."""


class ServiceActionView(ApiView):
    """A POST without a body that does something to one service and returns it."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform: ClassVar[ServiceAction]

    @extend_schema(request=None, responses={202: ServiceDetail})
    def post(self, request: ApiRequest, service_id: UUID) -> Response:
        """Perform the action; the API describes it by the docstring of the subclass."""
        service = self.perform(actor=request.actor, service_id=service_id)
        return _respond_accepted(request.actor, service)


class ServiceStopView(ServiceActionView):
    """Let every replica finish what it answers, and end."""

    perform = staticmethod(services.stop_service)


class ServiceStartView(ServiceActionView):
    """Start a stopped service again, or try its revision once more that was given up."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}
    perform = staticmethod(services.start_service)


class ServiceScaleView(ApiView):
    """How many replicas a service has."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}

    @extend_schema(request=ScaleInput, responses={202: ServiceDetail})
    def post(self, request: ApiRequest, service_id: UUID) -> Response:
        """Change how many replicas there may be, and how many are wanted now."""
        selectors.service_visible_to(request.actor, service_id)  # unknown comes before malformed
        given = ScaleInput.parse(request)
        service = services.scale_service(
            actor=request.actor,
            service_id=service_id,
            least=given.get("replicas_min"),
            most=given.get("replicas_max"),
            wanted=given.get("replicas"),
        )
        return _respond_accepted(request.actor, service)


class ServiceRollBackView(ApiView):
    """The way back to an earlier revision."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}

    @extend_schema(request=RollBackInput, responses={202: ServiceDetail})
    def post(self, request: ApiRequest, service_id: UUID) -> Response:
        """Serve with an earlier revision again."""
        selectors.service_visible_to(request.actor, service_id)  # unknown comes before malformed
        given = RollBackInput.parse(request)
        service = services.roll_back(
            actor=request.actor, service_id=service_id, number=given.get("revision")
        )
        return _respond_accepted(request.actor, service)


class ServiceCanaryView(ApiView):
    """A revision that gets a part of the requests of a service."""

    required_actions = {"PUT": Action.WORKLOAD_SUBMIT, "DELETE": Action.WORKLOAD_SUBMIT}

    @extend_schema(request=CanaryInput, responses={202: ServiceDetail})
    def put(self, request: ApiRequest, service_id: UUID) -> Response:
        """Set which revision gets which part."""
        selectors.service_visible_to(request.actor, service_id)  # unknown comes before malformed
        given = CanaryInput.parse(request)
        service = services.set_canary(
            actor=request.actor,
            service_id=service_id,
            number=given["revision"],
            percent=given["percent"],
        )
        return _respond_accepted(request.actor, service)

    @extend_schema(parameters=[CanaryEndQuery], responses={202: ServiceDetail})
    def delete(self, request: ApiRequest, service_id: UUID) -> Response:
        """End it: serve with it alone, or without it."""
        selectors.service_visible_to(request.actor, service_id)  # unknown comes before malformed
        given = CanaryEndQuery.parse(request)
        service = services.end_canary(
            actor=request.actor, service_id=service_id, is_taken=given["taken"]
        )
        return _respond_accepted(request.actor, service)


class ServiceRevisionListView(ApiView):
    """The revisions of a service."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=RevisionShape(many=True))
    def get(self, request: ApiRequest, service_id: UUID) -> Response:
        """List what its replicas run and ran, newest first."""
        NoFilters.parse(request)
        service = selectors.service_visible_to(request.actor, service_id)
        present = partial(present_revisions, service=service, actor=request.actor)
        return paginate(request, selectors.revisions_for_system(service), present)


class ServiceReplicaListView(ApiView):
    """The replicas of a service."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(parameters=[ReplicaQuery], responses=ReplicaShape(many=True))
    def get(self, request: ApiRequest, service_id: UUID) -> Response:
        """List its replicas, newest first; also those that have ended, unless the query says otherwise."""
        filters = ReplicaQuery.parse(request)
        service = selectors.service_visible_to(request.actor, service_id)
        present = partial(present_replicas, service=service)
        rows = selectors.replicas_for_system(service, has_ended=filters.get("ended"))
        return paginate(request, rows, present)


class ServiceStepListView(ApiView):
    """The decisions about a service."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=ScalingStepShape(many=True))
    def get(self, request: ApiRequest, service_id: UUID) -> Response:
        """List why it has how many replicas, newest first."""
        NoFilters.parse(request)
        service = selectors.service_visible_to(request.actor, service_id)
        return paginate(request, selectors.steps_for_system(service), present_steps)


class ReplicaListView(ApiView):
    """Replicas of all services, as work."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(parameters=[OneKindQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the replicas that the caller may see, newest first."""
        return http.respond_list(request, {**OneKindQuery.parse(request), "kind": replicas.KIND})


class ReplicaDetailView(ApiView):
    """One replica, as work."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one replica in full."""
        return http.respond_detail(request, workload_id, replicas.KIND)


class ReplicaStopView(http.WorkloadActionView):
    """Let one replica finish what it answers, and end; asked again it ends at once. Its service starts another one."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(replicas.stop_replica)


def _respond_accepted(actor: Actor, service: Service) -> Response:
    """Return 202 with the service as it is now, and its address."""
    fresh = selectors.service_visible_to(actor, service.pk)
    address = {"Location": f"/api/v1/services/{service.pk}"}
    return Response(present_service(fresh, actor), status=202, headers=address)
