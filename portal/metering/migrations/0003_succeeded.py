"""Succeeded jobs are counted by the day without reading those of all kinds and ends."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("metering", "0002_weeks"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="workstart",
            index=models.Index(
                condition=models.Q(("ended_as", "succeeded"), ("kind", "training")),
                fields=["ended_day"],
                name="work_start_succeeded",
            ),
        ),
    ]
