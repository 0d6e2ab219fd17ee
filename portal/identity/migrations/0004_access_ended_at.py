from django.db import migrations, models

END_ACCESS = """
UPDATE identity_user SET access_ended_at = now() WHERE NOT is_active;
UPDATE identity_apitoken SET revoked_at = now()
WHERE revoked_at IS NULL AND user_id IN (SELECT id FROM identity_user WHERE NOT is_active);
DELETE FROM identity_sshkey WHERE user_id IN (SELECT id FROM identity_user WHERE NOT is_active);
"""


class Migration(migrations.Migration):
    """Access that an account had before it was deactivated does not come back with it."""

    dependencies = [("identity", "0003_notice_channels")]
    operations = [
        migrations.AddField(
            model_name="user",
            name="access_ended_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RunSQL(END_ACCESS, migrations.RunSQL.noop),
    ]
