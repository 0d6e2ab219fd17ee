from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("quotas", "0004_gpu_hours")]
    operations = [
        migrations.AddConstraint(
            "quota",
            models.CheckConstraint(
                condition=Q(user_ceiling=None) | Q(user_ceiling__gte=0),
                name="quota_user_ceiling_not_negative",
            ),
        ),
    ]
