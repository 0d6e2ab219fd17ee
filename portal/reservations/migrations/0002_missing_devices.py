"""An advance reservation says how much of it has failed without a substitute."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("reservations", "0001_initial")]

    operations = [
        migrations.AddField(
            "advancereservation", "missing", models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            "advancereservation", "missing_since", models.DateTimeField(null=True)
        ),
        migrations.AddConstraint(
            "advancereservation",
            models.CheckConstraint(
                condition=Q(missing=0, missing_since=None)
                | Q(missing__gt=0, missing_since__isnull=False),
                name="reservation_missing_since",
            ),
        ),
    ]
