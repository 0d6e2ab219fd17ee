"""Data sets have numbered versions; what there is becomes version 1."""

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models

_FIRST_VERSIONS = """
INSERT INTO datasets_datasetversion (id, created_at, dataset_id, number, alias, note, state, path)
SELECT gen_random_uuid(), created_at, id, 1, '', '', 'ready', path FROM datasets_dataset;
UPDATE datasets_dataset SET last_number = 1;
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0001_named_folders"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="dataset",
            name="last_number",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.CreateModel(
            name="DatasetVersion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=portal.common.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=portal.common.clock.now, editable=False),
                ),
                ("number", models.PositiveIntegerField()),
                ("alias", models.CharField(blank=True, max_length=32)),
                ("note", models.CharField(blank=True, max_length=300)),
                (
                    "state",
                    models.CharField(
                        choices=[("ready", "Ready"), ("retired", "Retired")],
                        default="ready",
                        max_length=9,
                    ),
                ),
                ("path", models.CharField(max_length=400)),
                (
                    "dataset",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="datasets.dataset",
                    ),
                ),
                ("size_bytes", models.PositiveBigIntegerField(null=True)),
                ("file_count", models.PositiveBigIntegerField(null=True)),
                ("measured_at", models.DateTimeField(null=True)),
                ("changed_at", models.DateTimeField(null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("dataset", "number"), name="dataset_version_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("alias", ""), _negated=True),
                        fields=("dataset", "alias"),
                        name="dataset_alias_once",
                    ),
                    models.UniqueConstraint(fields=("dataset", "path"), name="dataset_path_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="dataset_version_counts_from_1"
                    ),
                ],
            },
        ),
        migrations.RunSQL(_FIRST_VERSIONS, migrations.RunSQL.noop),
        migrations.RemoveField(
            model_name="dataset",
            name="path",
        ),
    ]
