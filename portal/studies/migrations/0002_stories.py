"""A study may be of a scenario that comes along instead of the platform's past."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("studies", "0001_tables")]
    operations = [
        migrations.AddField(
            "study",
            "scenario",
            models.CharField(
                max_length=32, choices=[("aistation", "Aistation")], blank=True, default=""
            ),
        ),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(
                condition=Q(scenario="", days__gte=1) | Q(scenario="aistation", days=0),
                name="study_of_the_past_or_a_story",
            ),
        ),
    ]
