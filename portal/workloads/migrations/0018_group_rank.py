from django.db import migrations, models


class Migration(migrations.Migration):
    """Admins of a group order its waiting work."""

    dependencies = [("workloads", "0017_removed_at")]
    operations = [
        migrations.AddField(
            model_name="workload",
            name="group_rank",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
    ]
