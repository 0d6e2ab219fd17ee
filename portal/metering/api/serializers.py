"""Serializers of usage, waits, the weeks of the cluster, reports and prices."""

from typing import Any, ClassVar

from rest_framework import serializers

from portal.common.rest.serializers import (
    AMOUNT_MAX,
    CommaListField,
    IdField,
    InputSerializer,
    OneOfField,
    PatternField,
    QuerySerializer,
    StrictIntegerField,
)
from portal.common.rest.times import DayField
from portal.common.translations import LANGUAGES
from portal.common.work_kinds import KINDS
from portal.inventory.gpu_model_field import GpuModelField
from portal.inventory.gpu_models import GPU_MODEL_MAX
from portal.metering.cluster_weeks import WEEKS_MAX
from portal.metering.listed_use import WORK_MAX
from portal.metering.models import AttemptOutcome
from portal.metering.prices import HOURLY_MICROS_MAX
from portal.metering.selectors import GRANULARITIES, GROUPINGS

TOP_MAX = 50
"""Subjects of a chart; the rest is one line."""
WEEKS_DEFAULT = 26


class UsageWaitQuery(QuerySerializer):
    """Days of the site, both included, and whose work is asked for; this month by default."""

    paging: ClassVar[frozenset[str]] = frozenset()

    first_day = DayField(required=False)
    last_day = DayField(required=False)
    group = IdField(required=False, help_text="With the groups below it.")
    user = IdField(required=False)
    pool = IdField(required=False)
    kind = OneOfField(choices=[(kind, kind.capitalize()) for kind in KINDS], required=False)


class UsageQuery(UsageWaitQuery):
    """Which use is asked for, and how it is summed up."""

    paging: ClassVar[frozenset[str]] = frozenset({"format"})

    granularity = OneOfField(choices=GRANULARITIES, required=False)
    group_by = OneOfField(choices=GROUPINGS, required=False)
    top = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=TOP_MAX,
        help_text="So many subjects; all others are one row with the key `other`.",
    )
    model = serializers.CharField(required=False, max_length=GPU_MODEL_MAX)
    outcome = OneOfField(choices=AttemptOutcome.choices, required=False)
    language = OneOfField(choices=LANGUAGES, required=False, help_text="Of titles in CSV.")


class ReportQuery(QuerySerializer):
    """Which month, of which group, in which language."""

    paging: ClassVar[frozenset[str]] = frozenset({"format"})

    month = PatternField(
        r"^20\d\d-(0[1-9]|1[0-2])$",
        fault="not_a_month",
        required=False,
        help_text="Such as `2026-11`; this month.",
    )
    group = IdField(required=False)
    language = OneOfField(choices=LANGUAGES, required=False)


class ClusterWeekQuery(QuerySerializer):
    """How many weeks back."""

    paging: ClassVar[frozenset[str]] = frozenset()

    weeks = serializers.IntegerField(required=False, min_value=1, max_value=WEEKS_MAX)


class MoneyShape(serializers.Serializer[Any]):
    """An amount of money."""

    currency = serializers.CharField()
    amount = serializers.CharField(help_text="A decimal number.")


class UsageRowShape(serializers.Serializer[Any]):
    """What one subject held in one period. Amounts are units × seconds, rounded down."""

    period = serializers.DateField(help_text="First day of the period.")
    key = serializers.CharField(help_text="Id, name of the model, kind or outcome; may be empty.")
    title_en = serializers.CharField()
    title_zh = serializers.CharField()
    has_subgroups = serializers.BooleanField()
    gpu_milli_s = serializers.IntegerField(help_text="Thousandths of a GPU × seconds.")
    fraction_milli_s = serializers.IntegerField(help_text="Of these: slices and fractions.")
    sampled_milli_s = serializers.IntegerField(help_text="Of these: with known use.")
    idle_milli_s = serializers.IntegerField(help_text="Of the known: hours with less than 5 % use.")
    busy_milli_s = serializers.IntegerField(help_text="Of the known: times their use.")
    measured_milli_s = serializers.IntegerField(
        help_text="Of `gpu_milli_s`: with a measured energy."
    )
    energy_j = serializers.IntegerField(
        allow_null=True, help_text="Joules that the held GPUs drew; null is not measured."
    )
    carbon_g = serializers.IntegerField(
        allow_null=True, help_text="Grams of CO2e of that energy; null without a carbon factor."
    )
    gpu_memory_mib_s = serializers.IntegerField()
    cpu_milli_s = serializers.IntegerField()
    memory_mib_s = serializers.IntegerField()
    costs = MoneyShape(many=True, help_text="Empty where no price was valid.")
    idle_costs = MoneyShape(many=True)


class UsageShape(serializers.Serializer[Any]):
    """Rows by period, most GPU time first, and their sum."""

    first_day = serializers.DateField()
    last_day = serializers.DateField()
    as_of = serializers.DateTimeField(
        allow_null=True, help_text="Up to when it is counted; null before the first count."
    )
    rows = UsageRowShape(many=True)
    total = UsageRowShape()


class WaitRowShape(serializers.Serializer[Any]):
    """How long work waited for its first start."""

    kind = serializers.CharField(help_text="Empty: all kinds together.")
    count = serializers.IntegerField()
    p50_s = serializers.IntegerField()
    p90_s = serializers.IntegerField()
    p95_s = serializers.IntegerField()
    longest_s = serializers.IntegerField()


class WaitsShape(serializers.Serializer[Any]):
    """Percentiles of waits by kind, and of all; no rows where nothing started."""

    first_day = serializers.DateField()
    last_day = serializers.DateField()
    rows = WaitRowShape(many=True)


class WorkUseShape(serializers.Serializer[Any]):
    """What one workload held in all of its attempts, and what its GPUs drew."""

    gpu_milli_s = serializers.IntegerField(help_text="Thousandths of a GPU × seconds.")
    measured_milli_s = serializers.IntegerField(help_text="Of these: with a measured energy.")
    energy_j = serializers.IntegerField(allow_null=True, help_text="Null is not measured.")
    carbon_g = serializers.IntegerField(
        allow_null=True, help_text="Grams of CO2e; null without a carbon factor."
    )


class MemberUseShape(serializers.Serializer[Any]):
    """What one member held in a group and those below it, and the last sign-in."""

    user = serializers.UUIDField()
    week_gpu_milli_s = serializers.IntegerField(
        help_text="Thousandths of a GPU × seconds of the last 7 days of the site, today included."
    )
    month_gpu_milli_s = serializers.IntegerField(help_text="The same of the last 30.")
    last_sign_in_at = serializers.DateTimeField(
        allow_null=True, help_text="Null is never, or a member by a group above."
    )


class ListedUseQuery(QuerySerializer):
    """Whose use is asked for."""

    paging: ClassVar[frozenset[str]] = frozenset()

    ids = CommaListField(
        child=IdField(), max_length=WORK_MAX, help_text="Workloads, with commas between their ids."
    )


class ListedUseShape(serializers.Serializer[Any]):
    """What one workload held in all of its attempts, and where the last one was or is."""

    workload = serializers.UUIDField()
    nodes = serializers.ListField(child=serializers.CharField(), help_text="Names, by rank.")
    gpu_milli_s = serializers.IntegerField(help_text="Thousandths of a GPU × seconds.")
    use_pct = serializers.IntegerField(
        allow_null=True, help_text="Mean use of its GPUs; null where nothing was measured."
    )
    costs = MoneyShape(many=True, help_text="Empty where its GPUs had no price.")


class ListedUsesShape(serializers.Serializer[Any]):
    """The use of several workloads."""

    uses = ListedUseShape(many=True)


class ClusterWeekShape(serializers.Serializer[Any]):
    """One week of the whole cluster."""

    week = serializers.DateField(help_text="Its Monday.")
    gpu_s = serializers.IntegerField(help_text="Installed GPUs × seconds.")
    simulated_gpu_s = serializers.IntegerField(help_text="Of these: simulated.")
    held_milli_s = serializers.IntegerField()
    sampled_milli_s = serializers.IntegerField()
    busy_milli_s = serializers.IntegerField()
    tasks = serializers.IntegerField(help_text="Training jobs that succeeded.")


class ClusterWeeksShape(serializers.Serializer[Any]):
    """Weeks of the whole cluster, the present one last."""

    as_of = serializers.DateTimeField(allow_null=True)
    weeks = ClusterWeekShape(many=True)


class ReportSections(serializers.Serializer[Any]):
    """The rows of a report by what they are about."""

    group = UsageRowShape(many=True)
    user = UsageRowShape(many=True)
    pool = UsageRowShape(many=True)
    model = UsageRowShape(many=True)
    kind = UsageRowShape(many=True)
    outcome = UsageRowShape(many=True)


class ReportShape(serializers.Serializer[Any]):
    """The report of one month."""

    first_day = serializers.DateField()
    last_day = serializers.DateField()
    as_of = serializers.DateTimeField(allow_null=True)
    is_closed = serializers.BooleanField()
    total = UsageRowShape()
    sections = ReportSections()
    waits = WaitRowShape(many=True)


class PriceInput(InputSerializer):
    """What an hour of a model costs from a day on, in the currency of the site."""

    model = GpuModelField()
    valid_from = DayField(help_text="No earlier than the first of this month.")
    hourly_micros = StrictIntegerField(
        max_value=min(HOURLY_MICROS_MAX, AMOUNT_MAX), help_text="Millionths of the currency."
    )


class PriceShape(serializers.Serializer[Any]):
    """A price, and until which day it holds."""

    id = serializers.UUIDField()
    model = serializers.CharField()
    valid_from = serializers.DateField()
    valid_until = serializers.DateField(allow_null=True, help_text="Not included; null is no end.")
    hourly_micros = serializers.IntegerField()
    currency = serializers.CharField()
    may_remove = serializers.BooleanField(help_text="No month that is over has used it.")


class PricesShape(serializers.Serializer[Any]):
    """All prices, by model and time."""

    currency = serializers.CharField(help_text="Of prices that are set from now on.")
    open_from = serializers.DateField(help_text="The first day that a new price may begin on.")
    models = serializers.ListField(
        child=serializers.CharField(), help_text="Models of the installed GPUs."
    )
    prices = PriceShape(many=True)
