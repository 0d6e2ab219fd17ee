"""The smallest row of every table, made from how its columns are declared."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from portal.alarms.models import Alarm
from portal.approvals.models import ApprovalRequest
from portal.common.clock import now
from portal.common.ids import new_id
from portal.datasets.models import DatasetPublication
from portal.endpoints.models import AccessShare
from portal.identity.models import User
from portal.images.models import ImagePullOrder, ImageSave, ImageScan
from portal.notebooks.models import NotebookSchedule
from portal.quotas.models import Budget, GpuPrice
from portal.reservations.models import AdvanceReservation, ReservationWindow, ReservedDevice
from portal.secrets.models import Secret
from portal.serving.models import Service
from portal.submission_rules.models import SubmissionRules
from portal.templates.models import SubmissionTemplate
from portal.tenancy.models import Group
from portal.training_metrics.models import MetricBlock
from portal.volumes.models import Volume
from portal.workloads.models import (
    AllocationDevice,
    Dependency,
    ExpectedStart,
    JobArray,
    Workload,
)

MORNING: Final = datetime(2026, 1, 1, 1, tzinfo=UTC)
NEEDED: Final[Mapping[type[models.Model], Mapping[str, Any]]] = {
    AllocationDevice: {"claim_mode": "exclusive"},
    NotebookSchedule: {"days": [0], "start_minute": 1},
    AccessShare: {"is_full": True},
    ImageSave: {"state": "ordered"},
    ImagePullOrder: {"state": "ordered"},
    ImageScan: {"state": "waiting"},
    AdvanceReservation: {"gpus": 1},
    ReservationWindow: {"starts_at": MORNING, "ends_at": MORNING + timedelta(hours=3)},
    ReservedDevice: {"during": (MORNING, MORNING + timedelta(hours=3))},
    ApprovalRequest: {"kind": "member_limit"},
    DatasetPublication: {"source_id": new_id()},
    Dependency: {"type": "after", "workload": Workload, "on_array": JobArray},
    ExpectedStart: {"basis": "limits"},
    Secret: {"user": User},
    SubmissionTemplate: {"user": User},
    SubmissionRules: {"group": Group},
    Volume: {"owner": User},
    Alarm: {"state": "firing"},
    GpuPrice: {"currency": "EUR"},
    Service: {"quality": "latency", "target_ms": 1},
    Budget: {"gpu_hours": 1, "currency": ""},
    MetricBlock: {"steps": [1], "times": [1], "means": [1.0], "lows": [1.0], "highs": [1.0]},
}
"""What a sound row has besides: columns that may be null, but not yet. A model is a row of it."""

_OF_TYPE: Final = {
    "uuid": "gen_random_uuid()",
    "timestamp with time zone": "now()",
    "text": "'text'",
    "character varying": "'text'",
}
_NEEDED_COLUMNS: Final = """
SELECT column_name::text, data_type::text FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s AND is_nullable = 'NO' ORDER BY 1
"""
_numbers = count(1)
_VALUES: Final[tuple[tuple[Any, Callable[[], object]], ...]] = (
    (models.UUIDField, new_id),
    ((models.CharField, models.TextField), lambda: f"r{next(_numbers)}"),
    (models.DateTimeField, now),
    (models.DateField, lambda: now().date()),
    ((models.IntegerField, models.DecimalField), lambda: 1),
    (ArrayField, list),
)
"""Of columns that are anything else, an empty object."""


@dataclass
class Rows:
    """One row of each table that was asked for, with all rows that it refers to."""

    _found: dict[type[models.Model], Any] = field(default_factory=dict)

    def one(self, model: Any, /, **values: Any) -> Any:
        """Return the row of a model, saved when it is first asked for."""
        if model not in self._found:
            needed = {**NEEDED.get(model, {}), **values}
            wanted = {
                name: self.one(value) if isinstance(value, type) else value
                for name, value in needed.items()
            }
            row = model(**{**self._filled(model, wanted), **wanted})
            row.save(force_insert=True)
            self._found[model] = row
        return self._found[model]

    def another(self, model: Any, like: Any, **changes: Any) -> Any:
        """Save a second row with the same values, but for its own keys and `changes`."""
        own = {
            name.attname
            for name in model._meta.concrete_fields
            if name.primary_key or (name.unique and not name.is_relation)
        }
        same = {
            name.attname: getattr(like, name.attname)
            for name in model._meta.concrete_fields
            if name.attname not in own
        }
        fresh = {name: value for name, value in self._filled(model, {}).items() if name in own}
        row = model(**{**same, **fresh, **changes})
        row.save(force_insert=True)
        return row

    def in_table(self, table: str) -> None:
        """Let a table have a row."""
        for model in apps.get_models(include_auto_created=True):
            if model._meta.db_table == table:
                self.one(model)
                return
        _insert_plain(table)

    def _filled(self, model: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            column.attname: self._value(column)
            for column in model._meta.concrete_fields
            if not ({column.name, column.attname} & given.keys())
            and not (column.null or column.has_default() or column.has_db_default())
            and not isinstance(column, models.AutoField)
        }

    def _value(self, column: Any) -> Any:
        if isinstance(column, models.ForeignKey):
            return self.one(column.related_model).pk
        if column.choices:
            return column.choices[0][0]
        made = (make() for kind, make in _VALUES if isinstance(column, kind))
        return next(made, {})


def _insert_plain(table: str) -> None:
    """Save a row of a table without a model: only what may not be null."""
    with connection.cursor() as cursor:
        cursor.execute(_NEEDED_COLUMNS, [table])
        columns = {name: _OF_TYPE[kind] for name, kind in cursor.fetchall()}
        names, values = ", ".join(columns), ", ".join(columns.values())
        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({values})")
