# What the doctor of a node last found on its host.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0004_policy_changes'),
    ]

    operations = [
        migrations.CreateModel(
            name='NodeChecks',
            fields=[
                ('node', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='inventory.node')),
                ('checks', models.JSONField(default=list)),
                ('reported_at', models.DateTimeField()),
            ],
        ),
    ]
