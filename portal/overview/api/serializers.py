"""Shapes of the overview, of the map of cards and of the history of nodes."""

from typing import Any, ClassVar

from rest_framework import serializers

from portal.alarms.kinds import AlarmSeverity
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import QuerySerializer, StrictCharField
from portal.common.work_kinds import KINDS
from portal.metering.models import AttemptOutcome
from portal.overview.near_limits import LimitKind
from portal.overview.problems import ProblemCode
from portal.overview.search import TEXT_MAX, TEXT_MIN, HitKind
from portal.workloads.responses.shapes import WorkGlimpse


class ProblemSubjectShape(serializers.Serializer[Any]):
    """A node with a problem, or the node of a GPU that has one."""

    node = serializers.UUIDField()
    name = serializers.CharField()
    detail = serializers.CharField(help_text="Code of its state, hold or first fault.")


class ClusterProblemShape(serializers.Serializer[Any]):
    """What is not well."""

    code = serializers.ChoiceField([code.value for code in ProblemCode])
    severity = serializers.ChoiceField([severity.value for severity in AlarmSeverity])
    count = serializers.IntegerField()
    since = serializers.DateTimeField(allow_null=True)
    subjects = ProblemSubjectShape(many=True)


class PoolUseShape(serializers.Serializer[Any]):
    """The GPUs of a pool: each is held, free, lost or out of service."""

    pool = TitledRef()
    gpus_total = serializers.IntegerField(source="gpus.total")
    gpus_held = serializers.IntegerField(source="gpus.held")
    gpus_free = serializers.IntegerField(source="gpus.free")
    gpus_lost = serializers.IntegerField(source="gpus.lost")
    gpus_out = serializers.IntegerField(source="gpus.out")
    slices_total = serializers.IntegerField(source="gpus.slices_total")
    slices_free = serializers.IntegerField(source="gpus.slices_free")
    is_simulated = serializers.BooleanField(source="gpus.is_simulated")
    idle_milli = serializers.IntegerField()


class HoldingShape(serializers.Serializer[Any]):
    """GPUs that are held now, in thousandths; idle is a part of it, not measured another."""

    gpu_milli = serializers.IntegerField()
    idle_milli = serializers.IntegerField()
    unmeasured_milli = serializers.IntegerField()
    workloads = serializers.IntegerField()


class GroupHoldingShape(serializers.Serializer[Any]):
    """What a group holds."""

    group = TitledRef()
    held = HoldingShape()


class PersonHoldingShape(serializers.Serializer[Any]):
    """What a person holds."""

    user = UserRef()
    held = HoldingShape()


class IdleWorkShape(serializers.Serializer[Any]):
    """Work that holds GPUs and does not use them."""

    id = serializers.UUIDField(source="work.pk")
    name = serializers.CharField(source="work.name")
    kind = serializers.ChoiceField(list(KINDS), source="work.kind")
    owner = UserRef(source="work.owner")
    group = TitledRef(source="work.group")
    use_pct = serializers.IntegerField(source="held.idle_pct", allow_null=True)
    gpu_milli = serializers.IntegerField(source="held.idle_milli")
    since = serializers.DateTimeField(
        allow_null=True,
        help_text="To the minute within the last hour, to the hour before; three days at most.",
    )


class QueuedCountShape(serializers.Serializer[Any]):
    """How much work waits in one pool, for one reason or of one group."""

    pool = TitledRef()
    group = TitledRef(allow_null=True)
    code = serializers.CharField(help_text="First reason; empty before a pass has looked at it.")
    count = serializers.IntegerField()
    oldest_at = serializers.DateTimeField()


class LongWaitShape(serializers.Serializer[Any]):
    """One of those that have waited longest."""

    work = WorkGlimpse()
    pool = TitledRef()
    queued_at = serializers.DateTimeField()


class OverviewWaitsShape(serializers.Serializer[Any]):
    """All queued work, or that of the groups that the caller administers."""

    total = serializers.IntegerField()
    by_pool = QueuedCountShape(many=True)
    by_reason = QueuedCountShape(many=True)
    by_group = QueuedCountShape(many=True)
    longest = LongWaitShape(many=True)


class NearLimitShape(serializers.Serializer[Any]):
    """A limit of which most is used; amounts are thousandths, MiB, GPU-seconds or millionths of money."""

    kind = serializers.ChoiceField([kind.value for kind in LimitKind])
    id = serializers.UUIDField()
    name = serializers.CharField()
    resource = serializers.CharField(help_text="Of a quota; the period of a budget.")
    currency = serializers.CharField(help_text="Of a budget of money; else empty.")
    group = TitledRef(allow_null=True)
    pool = TitledRef(allow_null=True)
    used = serializers.IntegerField()
    limit = serializers.IntegerField()
    used_pct = serializers.IntegerField()


class NearLimitsShape(serializers.Serializer[Any]):
    """The limits of which most is used, the nearest first, and how many are near."""

    total = serializers.IntegerField()
    limits = NearLimitShape(many=True)


class OverviewShape(serializers.Serializer[Any]):
    """The cluster at one moment, or the groups that the caller administers."""

    as_of = serializers.DateTimeField()
    is_whole = serializers.BooleanField()
    problems = ClusterProblemShape(many=True)
    pools = PoolUseShape(many=True)
    held = HoldingShape()
    groups = GroupHoldingShape(many=True)
    groups_total = serializers.IntegerField()
    people = PersonHoldingShape(many=True)
    people_total = serializers.IntegerField()
    idle = IdleWorkShape(many=True)
    idle_total = serializers.IntegerField()


class RecentUseShape(serializers.Serializer[Any]):
    """24 hours: GPU time in thousandths × seconds, what ended, how long starts had waited."""

    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    gpu_milli_s = serializers.IntegerField()
    sampled_milli_s = serializers.IntegerField()
    idle_milli_s = serializers.IntegerField()
    busy_milli_s = serializers.IntegerField()
    ended = serializers.DictField(
        child=serializers.IntegerField(),
        help_text=f"Attempts by outcome: {', '.join(AttemptOutcome.values[1:])}.",
    )
    started = serializers.IntegerField()
    wait_p50_s = serializers.IntegerField(allow_null=True)
    wait_p95_s = serializers.IntegerField(allow_null=True)


class RecentDaysShape(serializers.Serializer[Any]):
    """The last 24 hours and those before them."""

    last = RecentUseShape()
    before = RecentUseShape()


class DayShape(serializers.Serializer[Any]):
    """24 hours as columns, one value every 15 minutes: GPUs in thousandths, work in numbers."""

    times = serializers.ListField(child=serializers.DateTimeField())
    held_milli = serializers.ListField(child=serializers.IntegerField())
    used_milli = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        help_text="Null where nothing was measured, and for those who do not see the whole cluster.",
    )
    waiting = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Without work that was cancelled before it started.",
    )
    waiting_milli = serializers.ListField(child=serializers.IntegerField())


class MapNodeShape(serializers.Serializer[Any]):
    """A node of the map; `pool` is the place of its pool in the answer."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    pool = serializers.IntegerField()
    state = serializers.CharField()
    hold = serializers.CharField()


class MapHoldersShape(serializers.Serializer[Any]):
    """Columns of work on GPUs of one node; of other tenants' work only that it is there.

    Owner and group are places in the answer, and -1 where the name is null.
    """

    mine = serializers.ListField(child=serializers.BooleanField())
    kind = serializers.ListField(child=serializers.CharField())
    workload = serializers.ListField(child=serializers.UUIDField(allow_null=True))
    name = serializers.ListField(child=serializers.CharField(allow_null=True))
    owner = serializers.ListField(child=serializers.IntegerField())
    group = serializers.ListField(child=serializers.IntegerField())
    idle_since = serializers.ListField(child=serializers.DateTimeField(allow_null=True))


class MapCardsShape(serializers.Serializer[Any]):
    """Columns of all cards: node and model are places in the answer."""

    id = serializers.ListField(child=serializers.UUIDField())
    node = serializers.ListField(child=serializers.IntegerField())
    index = serializers.ListField(child=serializers.IntegerField())
    model = serializers.ListField(child=serializers.IntegerField())
    state = serializers.ListField(child=serializers.CharField())
    fault = serializers.ListField(child=serializers.CharField())
    slices = serializers.ListField(child=serializers.IntegerField())
    memory_mib = serializers.ListField(child=serializers.IntegerField())


class MapPartsShape(serializers.Serializer[Any]):
    """Columns of occupied parts: card and holder are places in the answer."""

    card = serializers.ListField(child=serializers.IntegerField())
    slot = serializers.ListField(child=serializers.IntegerField())
    gpu_milli = serializers.ListField(child=serializers.IntegerField())
    holder = serializers.ListField(child=serializers.IntegerField())
    is_lent = serializers.ListField(child=serializers.BooleanField())


class MapPoolShape(TitledRef):
    """A pool of the map."""

    waiting = serializers.IntegerField(help_text="Work that waits for it.")


class CardMapShape(serializers.Serializer[Any]):
    """Every GPU with its place and holders."""

    order = serializers.CharField(help_text="Changes when cards come or go.")
    cards_total = serializers.IntegerField()
    pools = MapPoolShape(many=True)
    nodes = MapNodeShape(many=True)
    models = serializers.ListField(child=serializers.CharField())
    cards = MapCardsShape()
    people = UserRef(many=True)
    groups = TitledRef(many=True)
    holders = MapHoldersShape()
    parts = MapPartsShape()


class CardValuesShape(serializers.Serializer[Any]):
    """What every GPU measures now, in the order of the map."""

    order = serializers.CharField()
    utilisation_pct = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    memory_used_mib = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    power_w = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    temperature_c = serializers.ListField(child=serializers.IntegerField(allow_null=True))


class HitShape(serializers.Serializer[Any]):
    """One thing that was found by its name."""

    kind = serializers.ChoiceField([*(kind.value for kind in HitKind), *KINDS])
    id = serializers.UUIDField()
    name = serializers.CharField()
    detail = serializers.CharField(
        help_text="A person's display name, a node's pool, an image's reference, the owner of work."
    )
    state = serializers.CharField(help_text="Of work and nodes; else empty.")
    array = serializers.UUIDField(
        allow_null=True, help_text="The job array for which a job stands."
    )


class SearchShape(serializers.Serializer[Any]):
    """What was found, at most some of each kind."""

    hits = HitShape(many=True)


class SearchQuery(QuerySerializer):
    """What to look for."""

    paging: ClassVar[frozenset[str]] = frozenset()

    text = StrictCharField(min_length=TEXT_MIN, max_length=TEXT_MAX)


class FirstStepsShape(serializers.Serializer[Any]):
    """Which first steps the caller has taken."""

    notebook = serializers.BooleanField(help_text="Has ever started a notebook.")
    job = serializers.BooleanField(help_text="Has ever submitted a job.")
    ssh_key = serializers.BooleanField(help_text="Has an SSH key.")


class NodeEventShape(serializers.Serializer[Any]):
    """An act upon a node or one of its cards, or something that an alarm rule has found there."""

    at = serializers.DateTimeField()
    code = serializers.CharField(help_text="Of the act, or the kind of the alarm's rule.")
    is_act = serializers.BooleanField()
    card = serializers.IntegerField(
        allow_null=True, help_text="Index of the card that it concerns."
    )
    detail = serializers.CharField(help_text="A code or name that says more.")
    value = serializers.IntegerField(
        allow_null=True, help_text="Of an alarm, in the unit of its kind."
    )
    ended_at = serializers.DateTimeField(
        allow_null=True, help_text="When what an alarm found was over; null for acts."
    )
    actor_kind = serializers.CharField(help_text="Empty for alarms.")
    actor_name = serializers.CharField()


class NodeHistoryShape(serializers.Serializer[Any]):
    """The newest events of a node, the last one first."""

    events = NodeEventShape(many=True)
