# The web app of a session is a row of `apps`; the column stays as it is.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('apps', '0001_web_apps'),
        ('workloads', '0012_kinds_are_rows'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='workload',
                    name='app',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='apps.webapp'),
                ),
            ],
        ),
    ]
