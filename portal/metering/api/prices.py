"""Endpoints of prices: everyone sees what an hour costs, administrators set it."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.projection import project
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.inventory.gpu_models import model_name
from portal.inventory.models import Accelerator
from portal.metering import prices
from portal.metering.api.serializers import PriceInput, PriceShape, PricesShape
from portal.metering.prices import PricedTime
from portal.site.selectors import settings_for_system


class PriceListView(ApiView):
    """Prices of GPUs by model and time."""

    required_actions = {"GET": Action.USAGE_VIEW, "POST": Action.PRICE_MANAGE}
    is_paged = False

    @extend_schema(responses=PricesShape)
    def get(self, request: ApiRequest) -> Response:
        """Return every price, and what a new one may be."""
        NoFilters.parse(request)
        reported = Accelerator.objects.order_by("model").values_list("model", flat=True).distinct()
        shown = {
            "currency": settings_for_system().currency,
            "open_from": prices.open_month(),
            "models": sorted({model_name(model) for model in reported}),
            "prices": [_present(each) for each in prices.list_prices_for_system()],
        }
        return Response(PricesShape(shown).data)

    @extend_schema(request=PriceInput, responses={201: PriceShape})
    def post(self, request: ApiRequest) -> Response:
        """Set what an hour of a model costs from a day on."""
        row = prices.set_price(actor=request.actor, **PriceInput.parse(request))
        (shown,) = (each for each in prices.list_prices_for_system() if each.price.pk == row.pk)
        return Response(_present(shown), status=201)


class PriceDetailView(ApiView):
    """One price."""

    required_actions = {"DELETE": Action.PRICE_MANAGE}
    is_paged = False

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, price_id: UUID) -> Response:
        """Remove a price that no month that is over has used."""
        prices.remove_price(actor=request.actor, price_id=price_id)
        return Response(status=204)


def _present(priced: PricedTime) -> dict[str, object]:
    row = priced.price
    return project(
        PriceShape,
        {
            "id": row.pk,
            "model": row.model,
            "valid_from": row.valid_from.isoformat(),
            "valid_until": priced.valid_until,
            "hourly_micros": row.hourly_micros,
            "currency": row.currency,
            "may_remove": priced.may_remove,
        },
    )
