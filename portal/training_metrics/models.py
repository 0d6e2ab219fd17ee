"""Metrics of jobs: how far each log was read, the lines, and their points in blocks."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.common.clock import now
from portal.common.models import Entity
from portal.training_metrics.metric_lines import EXAMPLE_MAX
from portal.training_metrics.thinning import LinePoint
from portal.workloads.models import Workload
from wire.log_lines import METRIC_NAME_MAX


class Source(models.TextChoices):
    """Where a metric was reported."""

    LOG = "log"
    """By a printed line."""
    EVENTS = "events"
    """In an event file."""


class MetricStream(Entity):
    """How far the log of one rank's present attempt was read, and what was left out."""

    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+", db_index=False)
    rank = models.PositiveSmallIntegerField()
    epoch = models.PositiveIntegerField(default=0)
    log_offset = models.PositiveBigIntegerField(default=0)
    """Bytes of this attempt's log whose metrics are stored."""
    excess_offset = models.PositiveBigIntegerField(default=0)
    """The same of the metrics lines that came after the beginning of its log."""
    events_offset = models.PositiveBigIntegerField(default=0)
    """The same of the metrics lines of its event files."""
    malformed = models.PositiveBigIntegerField(default=0)
    """Metrics lines that were not understood."""
    malformed_example = models.CharField(max_length=EXAMPLE_MAX, blank=True, default="")
    names_left_out = models.PositiveBigIntegerField(default=0)
    """Values of names beyond the limit."""
    steps_left_out = models.PositiveBigIntegerField(default=0)
    """Values whose step was below one that the same attempt had reported before."""
    updated_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workload", "rank"], name="metric_stream_once"),
        ]
        indexes = [models.Index(fields=["updated_at"], name="metric_stream_age")]


class MetricSeries(Entity):
    """One metric of one rank: what tables show of it, and how its points lie in blocks."""

    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+", db_index=False)
    rank = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=METRIC_NAME_MAX)
    epoch = models.PositiveIntegerField()
    """The attempt that reported it last."""
    source = models.CharField(max_length=6, choices=Source, default=Source.LOG)
    """Where that attempt reported it first; the same metric from elsewhere is left out."""
    stride = models.PositiveBigIntegerField(default=1)
    """Values that each point stands for."""
    open_count = models.PositiveBigIntegerField(default=0)
    """Values that the last point stands for so far."""
    length = models.PositiveIntegerField(default=0)
    """Points that are kept."""
    open_block = models.PositiveSmallIntegerField(default=0)
    """The block to which points are added."""
    reports = models.PositiveBigIntegerField(default=0)
    """Values that were reported, in all attempts."""
    last_step = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField(default=now)
    last_value = models.FloatField(null=True)
    """Null while it is no number: `last_word` says which."""
    last_word = models.CharField(max_length=4, blank=True, default="")
    low_value = models.FloatField(null=True)
    low_step = models.PositiveBigIntegerField(null=True)
    high_value = models.FloatField(null=True)
    high_step = models.PositiveBigIntegerField(null=True)
    not_finite = models.PositiveBigIntegerField(default=0)
    """Reports that were NaN or infinite."""
    not_finite_step = models.PositiveBigIntegerField(null=True)
    """The step of the first of them."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workload", "rank", "name"], name="metric_series_once"),
            models.CheckConstraint(
                condition=Q(source__in=Source.values), name="metric_source_known"
            ),
            models.CheckConstraint(
                condition=Q(last_word__in=["", "nan", "inf", "-inf"]), name="metric_word_known"
            ),
            models.CheckConstraint(
                condition=Q(last_word="") | Q(last_value=None), name="metric_value_or_word"
            ),
        ]


class MetricBlock(models.Model):
    """Up to `BLOCK_POINTS` neighbouring points of a line; only the last block of a line is written again."""

    id = models.BigAutoField(primary_key=True)
    series = models.ForeignKey(MetricSeries, models.CASCADE, related_name="blocks", db_index=False)
    number = models.PositiveSmallIntegerField()
    steps: "ArrayField[Any, Any]" = ArrayField(models.BigIntegerField())
    times: "ArrayField[Any, Any]" = ArrayField(models.BigIntegerField())
    """Unix milliseconds."""
    means: "ArrayField[Any, Any]" = ArrayField(models.FloatField(null=True))
    lows: "ArrayField[Any, Any]" = ArrayField(models.FloatField(null=True))
    highs: "ArrayField[Any, Any]" = ArrayField(models.FloatField(null=True))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "number"], name="metric_block_once"),
        ]

    @property
    def points(self) -> list[LinePoint]:
        """What its columns hold, by point."""
        columns = (self.steps, self.times, self.means, self.lows, self.highs)
        return [LinePoint(*values) for values in zip(*columns, strict=True)]
