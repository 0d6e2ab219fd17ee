"""Doors to the catalogue."""

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.catalog.api.serializers import ImageOutput
from portal.catalog.selectors import active_images
from portal.common.actions import Action
from portal.common.pagination import paginated
from portal.common.serializers import NoFilters
from portal.common.views import ApiRequest, ApiView


class ImageListView(ApiView):
    """Images that new work may use."""

    required_actions = {"GET": Action.IMAGE_VIEW}

    @extend_schema(responses=ImageOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of images."""
        NoFilters.parse(request)
        return paginated(request, active_images(), lambda page: ImageOutput(page, many=True).data)
