import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


def _hours() -> models.Field:
    return django.contrib.postgres.fields.ArrayField(
        base_field=models.PositiveBigIntegerField(), size=None
    )


class Migration(migrations.Migration):
    dependencies = [("serving", "0002_share_state")]

    operations = [
        migrations.CreateModel(
            name="ServiceForecast",
            fields=[
                (
                    "service",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="serving.service",
                    ),
                ),
                ("made_at", models.DateTimeField()),
                ("model", models.CharField(max_length=32)),
                ("first_hour", models.DateTimeField()),
                ("low", _hours()),
                ("middle", _hours()),
                ("high", _hours()),
                ("is_trusted", models.BooleanField(default=False, db_default=False)),
                ("accuracy", models.JSONField(default=list)),
            ],
        )
    ]
