"""A study that is done has findings that say something, and one that has ended has started."""

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_gpu_hours")]
    operations = [
        migrations.RemoveConstraint("study", "study_done_has_findings"),
        migrations.RemoveConstraint("study", "study_ends_after_it_starts"),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(
                condition=Q(phase="done", findings__isnull=False) & ~Q(findings=None)
                | ~Q(phase="done") & Q(findings__isnull=True),
                name="study_done_has_findings",
            ),
        ),
        migrations.AddConstraint(
            "study",
            models.CheckConstraint(
                condition=Q(ended_at=None)
                | Q(started_at__isnull=False, ended_at__gte=F("started_at")),
                name="study_ends_after_it_starts",
            ),
        ),
    ]
