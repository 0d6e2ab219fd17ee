"""What the API says of services, revisions, replicas, keys and steps."""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import TitledRef, UserRef
from portal.serving.models import Service
from portal.serving.rollout import Stage
from portal.serving.status import ServiceStatus


class ServiceReplicasShape(serializers.Serializer[Any]):
    """How many replicas there may be, are wanted and are."""

    min = serializers.IntegerField()
    max = serializers.IntegerField()
    wanted = serializers.IntegerField()
    waiting = serializers.IntegerField()
    starting = serializers.IntegerField()
    ready = serializers.IntegerField()
    draining = serializers.IntegerField(help_text="Ready, but without new requests: they leave.")
    ending = serializers.IntegerField()


class CanaryShape(serializers.Serializer[Any]):
    """A revision that gets a part of the requests."""

    revision = serializers.IntegerField()
    percent = serializers.IntegerField()


class CauseShape(serializers.Serializer[Any]):
    """A code and its parameters."""

    code = serializers.CharField()
    params = serializers.JSONField()


class ServiceSummary(serializers.Serializer[Any]):
    """A service in lists."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    path = serializers.CharField(help_text="Below the address of the gateway of inference.")
    group = TitledRef()
    owner = UserRef()
    state = serializers.ChoiceField(
        [Service.WantedState.RUNNING.value, Service.WantedState.STOPPED.value]
    )
    status = serializers.ChoiceField([status.value for status in ServiceStatus])
    quality = serializers.ChoiceField(Service.QualityClass.values)
    target_ms = serializers.IntegerField(allow_null=True)
    is_first_token = serializers.BooleanField()
    rate_milli = serializers.IntegerField()
    replicas = ServiceReplicasShape()
    revision = serializers.IntegerField()
    stable_revision = serializers.IntegerField(
        allow_null=True, help_text="The last one of which a replica has stayed up."
    )
    canary = CanaryShape(allow_null=True)
    refusal = CauseShape(
        allow_null=True, help_text="Why its last replica could not be queued, if it could not."
    )
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class ServiceSpecShape(serializers.Serializer[Any]):
    """What each replica runs."""

    preset = serializers.CharField()
    image = serializers.CharField()
    model = serializers.CharField()
    command = serializers.ListField(child=serializers.CharField())
    arguments = serializers.ListField(child=serializers.CharField())
    env = serializers.DictField(
        child=serializers.CharField(), help_text="For others than the owner without values."
    )
    datasets = serializers.ListField(child=serializers.CharField())
    home = serializers.BooleanField()
    volumes = serializers.ListField(child=serializers.CharField())
    secrets = serializers.ListField(child=serializers.DictField())
    port = serializers.IntegerField(allow_null=True)
    readiness_path = serializers.CharField()
    start_deadline_s = serializers.IntegerField()
    pool = serializers.CharField()
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    gpu_milli = serializers.IntegerField()
    gpu_memory_mib = serializers.IntegerField()
    gpu_memory_ceiling_mib = serializers.IntegerField(allow_null=True)
    mig_profile = serializers.CharField()
    gpu_models = serializers.ListField(child=serializers.CharField())
    gpu_memory_min_mib = serializers.IntegerField()
    gpu_features = serializers.ListField(child=serializers.CharField())
    gpu_bandwidth_min_gbps = serializers.IntegerField()
    cpu_milli = serializers.IntegerField()
    memory_mib = serializers.IntegerField()


class RevisionShape(serializers.Serializer[Any]):
    """What the replicas of a service run, or ran."""

    number = serializers.IntegerField()
    spec = ServiceSpecShape()
    created_at = serializers.DateTimeField()
    created_by = UserRef()
    proved_at = serializers.DateTimeField(
        allow_null=True, help_text="When one of its replicas had stayed up for the first time."
    )
    failed_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was given up: its replicas did not start."
    )
    failure = CauseShape(allow_null=True)


class ServiceShareShape(serializers.Serializer[Any]):
    """What a service takes of its group's GPUs beyond its least number of replicas, or has given."""

    claims_since = serializers.DateTimeField(
        allow_null=True,
        help_text="Since when it is near its target and goes before spare replicas; null: it does not.",
    )
    easy_since = serializers.DateTimeField(
        allow_null=True, help_text="Since when it has more than it needs; its claim ends soon."
    )
    given = serializers.IntegerField(
        help_text="Replicas that wait because another service of its group needed their GPUs."
    )


class ForecastHourShape(serializers.Serializer[Any]):
    """The requests that are expected in one hour."""

    at = serializers.DateTimeField()
    low = serializers.IntegerField()
    middle = serializers.IntegerField()
    high = serializers.IntegerField()


class PastHourShape(serializers.Serializer[Any]):
    """The requests that came in one hour."""

    at = serializers.DateTimeField()
    requests = serializers.IntegerField()


class ForecastAccuracyShape(serializers.Serializer[Any]):
    """How a model did on the last days, each forecast from what lay before it."""

    model = serializers.CharField()
    error_permille = serializers.IntegerField(help_text="Mean error of an hour over mean demand.")
    against_naive_permille = serializers.IntegerField(
        help_text="Its error over that of the same hour a season ago; less than 1,000 is better."
    )
    hours = serializers.IntegerField(help_text="Tested on so many.")


class ServiceForecastShape(serializers.Serializer[Any]):
    """The demand that is expected of a service."""

    made_at = serializers.DateTimeField()
    model = serializers.CharField()
    is_trusted = serializers.BooleanField(
        help_text="Whether it may start replicas: its error is at most half of the demand."
    )
    hours = ForecastHourShape(many=True)
    past = PastHourShape(many=True, help_text="The two days before it.")
    accuracy = ForecastAccuracyShape(many=True)


class ReplicaCapacityShape(serializers.Serializer[Any]):
    """What one replica is believed to carry."""

    open_requests = serializers.IntegerField(help_text="At a time, within the target.")
    answers = serializers.IntegerField(
        help_text="It was learned from so many answers; 0 is the word of its preset."
    )


class ColdStartShape(serializers.Serializer[Any]):
    """How long a replica takes from its place on a node until it answers."""

    p50_ms = serializers.IntegerField()
    p90_ms = serializers.IntegerField()
    seen = serializers.IntegerField(help_text="From so many starts; 0 is a guess.")


class ServiceDetail(ServiceSummary):
    """A service in full."""

    capacity = ReplicaCapacityShape()
    cold_start = ColdStartShape()

    forecast = ServiceForecastShape(
        allow_null=True, help_text="Null until three days of requests are known."
    )

    share = ServiceShareShape()

    zero_after_s = serializers.IntegerField()
    hold_max = serializers.IntegerField()
    hold_deadline_s = serializers.IntegerField()
    drain_s = serializers.IntegerField()
    current = RevisionShape(help_text="The revision that is to serve.")


class ReplicaShape(serializers.Serializer[Any]):
    """One replica; as work it is `GET /replicas/<id>`."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    revision = serializers.IntegerField()
    stage = serializers.ChoiceField(
        [stage.value for stage in Stage], allow_null=True, help_text="Null has ended."
    )
    state = serializers.CharField(help_text="Of its work.")
    cause = CauseShape(allow_null=True)
    open_requests = serializers.IntegerField()
    draining_since = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class ServiceKeyShape(serializers.Serializer[Any]):
    """A key of a service."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    hint = serializers.CharField(help_text="The last characters of the key.")
    requests_per_min = serializers.IntegerField(allow_null=True)
    tokens_per_min = serializers.IntegerField(allow_null=True)
    created_by = UserRef()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)


class IssuedServiceKeyShape(ServiceKeyShape):
    """A new key; its secret is shown this once."""

    secret = serializers.CharField()


class ScalingStepShape(serializers.Serializer[Any]):
    """A decision about how many replicas are to serve, or about a revision."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    code = serializers.CharField()
    params = serializers.JSONField()
    before = serializers.IntegerField()
    after = serializers.IntegerField()


class ServicePresetShape(serializers.Serializer[Any]):
    """A server that services can run as it is."""

    name = serializers.CharField()
    title = serializers.CharField()
    about_en = serializers.CharField()
    about_zh = serializers.CharField()
    command = serializers.ListField(child=serializers.CharField())
    readiness_path = serializers.CharField()
    metrics_path = serializers.CharField()
    speaks_openai = serializers.BooleanField()
    needs_model = serializers.BooleanField()
    drain_s = serializers.IntegerField()
    start_deadline_s = serializers.IntegerField()


class ServicePresetsShape(serializers.Serializer[Any]):
    """All of them."""

    presets = ServicePresetShape(many=True)
