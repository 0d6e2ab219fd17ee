"""Mails that wait to be sent, and the language of each person."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import portal.common.clock
import portal.common.ids


class Migration(migrations.Migration):
    dependencies = [("identity", "0002_ssh_keys")]

    operations = [
        migrations.AddField(
            "user",
            "language",
            models.CharField(blank=True, db_default="", default="", max_length=8),
        ),
        migrations.CreateModel(
            "OutgoingMail",
            [
                (
                    "id",
                    models.UUIDField(
                        default=portal.common.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=portal.common.clock.now, editable=False),
                ),
                ("code", models.CharField(max_length=40)),
                ("params", models.JSONField(default=dict)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField(default=portal.common.clock.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["due_at"], name="outgoing_mail_due")],
            },
        ),
    ]
