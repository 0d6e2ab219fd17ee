"""How many requests services are expected to get by the hour: forecast in rounds, kept, read by the rule of sizes.

A forecast only adds replicas, between the least and the most that an owner wants, and nobody gives way for them.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from django.db.models import F

from portal.common.clock import now, to_millis
from portal.serving.models import Service, ServiceForecast
from portal.serving_usage.selectors import hours_for_system
from scheduler.forecast.choice import SEASONAL, back_tested, chosen, forecast
from scheduler.forecast.seasonal import PointModel
from scheduler.forecast.trained import trained_models
from scheduler.scaling.values import DemandInterval

AHEAD: Final = 24
"""Hours ahead."""
PAST: Final = timedelta(days=35)
"""How much of the past is learned from: four weeks before the week that models are tested on."""
SHOWN: Final = timedelta(hours=48)
"""How much of the past stands beside a forecast."""
ROUND_S: Final = 60
"""One round takes no new service after so long; those left are first in the next."""
FIELDS: Final = (
    *("made_at", "model", "first_hour", "low", "middle", "high", "is_trusted", "accuracy"),
)
"""What a new forecast of a service replaces."""
_HOUR: Final = timedelta(hours=1)
_HOUR_S: Final = 3600


def forecast_services() -> int:
    """Forecast the services whose forecast is of an hour before this one; return how many were forecast."""
    began, made = monotonic(), 0
    models = SEASONAL | trained_models()
    this_hour = _hour_of(now())
    for service in _due(this_hour):
        if monotonic() - began > ROUND_S:
            break
        made += _forecast(service, this_hour, models)
    return made


def expected_demand(row: ServiceForecast | None, within_ms: int) -> DemandInterval | None:
    """Return what a forecast says of the time until `within_ms` from now; None where it says nothing to act on."""
    if row is None or not row.is_trusted:
        return None
    moment = now()
    first = (_hour_of(moment) - row.first_hour) // _HOUR
    last = (_hour_of(moment + timedelta(milliseconds=within_ms)) - row.first_hour) // _HOUR
    hours = range(max(first, 0), last + 1)
    if first < 0 or last >= len(row.middle):
        return None
    low, middle, high = (
        max(each[hour] for hour in hours) * 1000 // _HOUR_S
        for each in (row.low, row.middle, row.high)
    )
    return DemandInterval(low, middle, high, to_millis(row.made_at))


def forecast_of(service: Service) -> ServiceForecast | None:
    """Return the last forecast of a service."""
    return ServiceForecast.objects.filter(service=service).first()


def hours_before(row: ServiceForecast) -> list[tuple[datetime, int]]:
    """Return the requests of the hours before a forecast, oldest first: what its curve stands beside."""
    counts = hours_for_system(row.service_id, row.first_hour - SHOWN, row.first_hour)
    first = row.first_hour - len(counts) * _HOUR
    return [(first + number * _HOUR, count) for number, count in enumerate(counts)]


def _due(this_hour: datetime) -> list[Service]:
    """Return the services to forecast, those first whose forecast is the oldest."""
    running = Service.objects.filter(state=Service.WantedState.RUNNING.value)
    sized = running.filter(replicas_min__lt=F("replicas_max"))
    known = dict(ServiceForecast.objects.values_list("service", "made_at"))
    never = this_hour - PAST
    due = [each for each in sized if known.get(each.pk, never) < this_hour]
    return sorted(due, key=lambda each: (known.get(each.pk, never), each.pk))


def _forecast(service: Service, this_hour: datetime, models: Mapping[str, PointModel]) -> bool:
    """Forecast one service from its past, and keep that; return whether the past says anything."""
    past = hours_for_system(service.pk, this_hour - PAST, this_hour)
    tested = back_tested(past, models)
    best = chosen(tested)
    if best is None:
        return False
    found = forecast(past, AHEAD, models[best.model], best)
    row = ServiceForecast(
        service=service,
        made_at=now(),
        model=found.model,
        first_hour=this_hour,
        low=list(found.low),
        middle=list(found.middle),
        high=list(found.high),
        is_trusted=best.is_trusted,
        accuracy=[
            {
                "model": each.model,
                "error_permille": each.error_permille,
                "against_naive_permille": each.against_naive_permille,
                "hours": each.hours,
            }
            for each in tested
        ],
    )
    ServiceForecast.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["service"], update_fields=list(FIELDS)
    )
    return True


def _hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
