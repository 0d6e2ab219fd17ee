from django.db import migrations


def _rename_check(old: str, new: str) -> str:
    return f"ALTER TABLE quotas_budget RENAME CONSTRAINT quotas_budget_{old}_check TO quotas_budget_{new}_check"


class Migration(migrations.Migration):
    dependencies = [("quotas", "0003_run_time_of_members")]
    operations = [
        migrations.RenameField("budget", "card_hours", "gpu_hours"),
        migrations.RunSQL(
            _rename_check("card_hours", "gpu_hours"), _rename_check("gpu_hours", "card_hours")
        ),
    ]
