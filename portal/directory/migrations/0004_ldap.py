from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0003_last_sign_in"),
    ]

    operations = [
        migrations.AddField(
            model_name="directory",
            name="ldap",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="directory",
            name="encrypted_bind_password",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="directory",
            name="sync_tried_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="directory",
            name="synced_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="directory",
            name="sync_fault",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="directory",
            name="accepts_leavers",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
