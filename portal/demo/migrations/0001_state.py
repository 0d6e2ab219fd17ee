from django.db import migrations, models


class Migration(migrations.Migration):
    """One row that says what of an installation is simulated."""

    initial = True

    dependencies = []
    operations = [
        migrations.CreateModel(
            name="DemoState",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(
                        default=1, primary_key=True, serialize=False
                    ),
                ),
                ("past_from", models.DateTimeField(null=True)),
                ("seeded_at", models.DateTimeField(null=True)),
                ("activity", models.BooleanField(default=False)),
                ("removed_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="demo_state_one_row"
                    )
                ],
            },
        ),
    ]
