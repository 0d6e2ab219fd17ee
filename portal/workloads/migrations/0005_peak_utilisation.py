"""The highest utilisation instead of the mean, of which no peak is known."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workloads", "0004_queue_index"),
    ]

    operations = [
        migrations.RemoveField(model_name="measureduse", name="busy_pct_sum"),
        migrations.AddField(
            model_name="measureduse",
            name="peak_pct",
            field=models.PositiveBigIntegerField(default=0),
            preserve_default=False,
        ),
        # Runs of which only the mean was kept count as not measured.
        migrations.RunSQL("UPDATE workloads_measureduse SET busy_samples = 0"),
    ]
