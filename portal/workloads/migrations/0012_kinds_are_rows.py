"""The kinds of work are rows of a table in code; no choices of the column."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workloads", "0011_expected_starts")]

    operations = [
        migrations.AlterField(
            model_name="workload", name="kind", field=models.CharField(max_length=16)
        ),
    ]
