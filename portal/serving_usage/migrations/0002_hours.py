from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving_usage", "0001_tables")]

    operations = [
        migrations.CreateModel(
            name="ServiceHour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("service_id", models.UUIDField()),
                ("hour", models.DateTimeField(db_index=True)),
                ("arrivals", models.PositiveBigIntegerField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("service_id", "hour"), name="service_hour_once"
                    )
                ]
            },
        )
    ]
