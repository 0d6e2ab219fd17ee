# Which back end runs the work of a pool.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0006_agent_instances'),
    ]

    operations = [
        migrations.AddField(
            model_name='pool',
            name='backend',
            field=models.CharField(choices=[('agents', 'agents')], db_default='agents', default='agents', max_length=16),
        ),
    ]
