"""Endpoints of the recovery after the database was restored from a backup."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.serializers import InputSerializer, NoFilters, StrictCharField
from portal.common.rest.views import ApiRequest, ApiView
from portal.fleet.recovery import RecoveryOutput, present_recovery
from portal.workloads.operations import recovery


class FinishRecoveryInput(InputSerializer):
    """The word `finish`, so that it is not done by mistake."""

    confirm = StrictCharField(max_length=20)


class StopContainerInput(InputSerializer):
    """The name of the container's allocation, so that no other one is meant."""

    name = StrictCharField(max_length=128)


class RecoveryView(ApiView):
    """What a restored portal waits for."""

    required_actions = {"GET": Action.NODE_MANAGE}

    @extend_schema(responses=RecoveryOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return which nodes have not spoken, and what runs that the database does not know."""
        NoFilters.parse(request)
        return Response(present_recovery(request.actor))


class RecoveryFinishView(ApiView):
    """The end of a recovery before every node has spoken."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=FinishRecoveryInput, responses=RecoveryOutput)
    def post(self, request: ApiRequest) -> Response:
        """Place older work again although nodes have not spoken."""
        confirm = FinishRecoveryInput.parse(request)["confirm"]
        recovery.finish_recovery(actor=request.actor, confirm=confirm)
        return Response(present_recovery(request.actor))


class ForgottenContainerStopView(ApiView):
    """Stopping a container that the database does not know."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=StopContainerInput, responses=RecoveryOutput)
    def post(self, request: ApiRequest, container_id: UUID) -> Response:
        """Stop it; it is listed until its node reports that it has ended."""
        name = StopContainerInput.parse(request)["name"]
        recovery.stop_container(actor=request.actor, container_id=container_id, name=name)
        return Response(present_recovery(request.actor))
