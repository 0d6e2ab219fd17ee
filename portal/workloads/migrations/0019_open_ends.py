"""Work whose kind has an open end has no time limit."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0018_group_rank")]

    operations = [
        migrations.AlterField(
            model_name="workload", name="time_limit_s", field=models.PositiveIntegerField(null=True)
        ),
    ]
