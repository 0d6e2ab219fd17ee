from django.db import migrations, models


class Migration(migrations.Migration):
    """Ended work can be deleted by its owner."""

    dependencies = [("workloads", "0016_simulated")]
    operations = [
        migrations.AddField(
            model_name="workload",
            name="removed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
