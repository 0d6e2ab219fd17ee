from django.db import migrations, models


class Migration(migrations.Migration):
    """Quiet kinds of notices come once they are turned on; the columns keep what was turned, as before."""

    dependencies = [("identity", "0004_access_ended_at")]
    operations = [
        migrations.AddField(
            model_name="user",
            name="inbox_turned",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("user", "mails_off", "mails_turned"),
                migrations.AlterField(
                    model_name="user",
                    name="mails_turned",
                    field=models.JSONField(db_column="mails_off", db_default=[], default=list),
                ),
                migrations.RenameField("noticechannel", "kinds_off", "kinds_turned"),
                migrations.AlterField(
                    model_name="noticechannel",
                    name="kinds_turned",
                    field=models.JSONField(db_column="kinds_off", default=list),
                ),
            ]
        ),
    ]
