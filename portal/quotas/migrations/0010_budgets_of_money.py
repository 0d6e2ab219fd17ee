"""Budgets may be of money; prices of GPUs move here from the meter."""

import django.contrib.postgres.fields
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('metering', '0003_prices_move_to_quotas'),
        ('inventory', '0015_node_builds_images'),
        ('quotas', '0009_history_of_changes'),
        ('tenancy', '0002_titles_in_both_languages'),
    ]

    operations = [
        # The table comes from the meter, with its rows.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='GpuPrice',
                    fields=[
                        ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                        ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                        ('model', models.CharField(max_length=100)),
                        ('valid_from', models.DateField()),
                        ('hourly_micros', models.PositiveBigIntegerField()),
                        ('currency', models.CharField(max_length=3)),
                    ],
                    options={'constraints': [models.UniqueConstraint(fields=('model', 'valid_from'), name='gpu_price_once')]},
                ),
            ],
        ),
        migrations.CreateModel(
            name='BudgetSpending',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('first_day', models.DateField()),
                ('counted_until', models.DateTimeField()),
                ('cost', models.DecimalField(decimal_places=0, max_digits=40)),
                ('unpriced', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), default=list, size=None)),
            ],
        ),
        migrations.AddField(
            model_name='budget',
            name='currency',
            field=models.CharField(blank=True, db_default='', default='', max_length=3),
        ),
        migrations.AddField(
            model_name='budget',
            name='money_micros',
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='budget',
            name='gpu_hours',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('currency', ''), ('gpu_hours__isnull', False), ('money_micros', None)), models.Q(('gpu_hours', None), ('money_micros__isnull', False), models.Q(('currency', ''), _negated=True)), _connector='OR'), name='budget_in_one_unit'),
        ),
        migrations.AddField(
            model_name='budgetspending',
            name='budget',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='spending', to='quotas.budget'),
        ),
    ]
