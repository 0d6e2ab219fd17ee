from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('metering', '0001_initial'), ('metering', '0002_energy'), ('metering', '0003_prices_move_to_quotas')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='CapacityDay',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('pool_id', models.UUIDField()),
                ('model', models.CharField(max_length=100)),
                ('is_simulated', models.BooleanField(default=False)),
                ('gpu_ms', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'pool_id', 'model', 'is_simulated'), name='capacity_day_once')],
            },
        ),
        migrations.CreateModel(
            name='MeterProgress',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('until', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='meter_progress_one_row')],
            },
        ),
        migrations.CreateModel(
            name='UsageDay',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('group_id', models.UUIDField()),
                ('user_id', models.UUIDField()),
                ('pool_id', models.UUIDField()),
                ('model', models.CharField(blank=True, max_length=100)),
                ('kind', models.CharField(max_length=16)),
                ('outcome', models.CharField(choices=[('running', 'Running'), ('completed', 'Completed'), ('stopped', 'Stopped'), ('failed', 'Failed'), ('preempted', 'Preempted'), ('lost', 'Lost')], max_length=16)),
                ('gpu_milli_ms', models.BigIntegerField()),
                ('fraction_milli_ms', models.BigIntegerField()),
                ('gpu_memory_mib_ms', models.BigIntegerField()),
                ('cpu_milli_ms', models.BigIntegerField()),
                ('memory_mib_ms', models.BigIntegerField()),
                ('sampled_milli_ms', models.BigIntegerField()),
                ('idle_milli_ms', models.BigIntegerField()),
                ('busy_milli_ms', models.BigIntegerField()),
                ('measured_milli_ms', models.BigIntegerField(db_default=0, default=0)),
                ('energy_mj', models.BigIntegerField(db_default=0, default=0)),
                ('carbon_mg', models.BigIntegerField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['user_id', 'day'], name='usage_day_by_user')],
                'constraints': [models.UniqueConstraint(fields=('day', 'group_id', 'user_id', 'pool_id', 'model', 'kind', 'outcome'), name='usage_day_once')],
            },
        ),
        migrations.CreateModel(
            name='WorkStart',
            fields=[
                ('workload_id', models.UUIDField(primary_key=True, serialize=False)),
                ('group_id', models.UUIDField()),
                ('user_id', models.UUIDField()),
                ('pool_id', models.UUIDField()),
                ('kind', models.CharField(max_length=16)),
                ('day', models.DateField()),
                ('wait_ms', models.BigIntegerField()),
                ('ended_day', models.DateField(null=True)),
                ('ended_as', models.CharField(blank=True, max_length=16)),
            ],
            options={
                'indexes': [models.Index(fields=['day'], name='work_start_by_day'), models.Index(fields=['ended_day'], name='work_start_by_end')],
            },
        ),
    ]
