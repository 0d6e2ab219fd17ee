from django.db import migrations, models


class Migration(migrations.Migration):
    """Owners are notified of what happens to their work from now on."""

    dependencies = [("workloads", "0014_ready_at")]
    operations = [
        migrations.CreateModel(
            name="NoticedEvents",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("until", models.PositiveBigIntegerField()),
                ("later", models.JSONField(default=list)),
                ("waited_until", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="noticed_events_one_row"
                    )
                ],
            },
        ),
    ]
