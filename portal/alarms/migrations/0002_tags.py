"""Rules may tag the work that they find."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("alarms", "0001_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="alarmrule",
            name="tag",
            field=models.CharField(blank=True, db_default="", default="", max_length=32),
        ),
        migrations.AlterField(
            model_name="alarmrule",
            name="act",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", ""),
                    ("cordon_node", "cordon_node"),
                    ("stop_notebook", "stop_notebook"),
                    ("release_gpus", "release_gpus"),
                    ("requeue_job", "requeue_job"),
                    ("cancel_job", "cancel_job"),
                    ("tag_work", "tag_work"),
                ],
                default="",
                max_length=16,
            ),
        ),
    ]
