"""Prices move to quotas, whose budgets of money need them; the rows stay as they are."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("metering", "0002_energy")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.AlterModelTable("gpuprice", "quotas_gpuprice")],
            state_operations=[migrations.DeleteModel("GpuPrice")],
        ),
    ]
