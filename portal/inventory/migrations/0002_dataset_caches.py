# The published data sets that nodes keep on their own disks.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='NodeDatasetCache',
            fields=[
                ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='inventory.node')),
                ('limit_mib', models.PositiveBigIntegerField(default=0)),
                ('versions', models.JSONField(default=list)),
                ('reported_at', models.DateTimeField()),
                ('wanted', models.JSONField(default=list)),
            ],
        ),
    ]
