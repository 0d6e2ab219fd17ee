import django.contrib.postgres.fields
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('training_metrics', '0001_initial'), ('training_metrics', '0002_event_files'), ('training_metrics', '0003_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('workloads', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='MetricSeries',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('rank', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=64)),
                ('epoch', models.PositiveIntegerField()),
                ('source', models.CharField(choices=[('log', 'Log'), ('events', 'Events')], default='log', max_length=6)),
                ('stride', models.PositiveBigIntegerField(default=1)),
                ('open_count', models.PositiveBigIntegerField(default=0)),
                ('length', models.PositiveIntegerField(default=0)),
                ('open_block', models.PositiveSmallIntegerField(default=0)),
                ('reports', models.PositiveBigIntegerField(default=0)),
                ('last_step', models.PositiveBigIntegerField(default=0)),
                ('last_at', models.DateTimeField(default=portal.common.clock.now)),
                ('last_value', models.FloatField(null=True)),
                ('last_word', models.CharField(blank=True, default='', max_length=4)),
                ('low_value', models.FloatField(null=True)),
                ('low_step', models.PositiveBigIntegerField(null=True)),
                ('high_value', models.FloatField(null=True)),
                ('high_step', models.PositiveBigIntegerField(null=True)),
                ('not_finite', models.PositiveBigIntegerField(default=0)),
                ('not_finite_step', models.PositiveBigIntegerField(null=True)),
                ('workload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workload', 'rank', 'name'), name='metric_series_once'), models.CheckConstraint(condition=models.Q(('source__in', ['log', 'events'])), name='metric_source_known'), models.CheckConstraint(condition=models.Q(('last_word__in', ['', 'nan', 'inf', '-inf'])), name='metric_word_known'), models.CheckConstraint(condition=models.Q(('last_word', ''), ('last_value', None), _connector='OR'), name='metric_value_or_word')],
            },
        ),
        migrations.CreateModel(
            name='MetricBlock',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField()),
                ('steps', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('times', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('means', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(null=True), size=None)),
                ('lows', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(null=True), size=None)),
                ('highs', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(null=True), size=None)),
                ('series', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='training_metrics.metricseries')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('series', 'number'), name='metric_block_once')],
            },
        ),
        migrations.CreateModel(
            name='MetricStream',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('rank', models.PositiveSmallIntegerField()),
                ('epoch', models.PositiveIntegerField(default=0)),
                ('log_offset', models.PositiveBigIntegerField(default=0)),
                ('excess_offset', models.PositiveBigIntegerField(default=0)),
                ('events_offset', models.PositiveBigIntegerField(default=0)),
                ('malformed', models.PositiveBigIntegerField(default=0)),
                ('malformed_example', models.CharField(blank=True, default='', max_length=200)),
                ('names_left_out', models.PositiveBigIntegerField(default=0)),
                ('steps_left_out', models.PositiveBigIntegerField(default=0)),
                ('updated_at', models.DateTimeField(default=portal.common.clock.now)),
                ('workload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'indexes': [models.Index(fields=['updated_at'], name='metric_stream_age')],
                'constraints': [models.UniqueConstraint(fields=('workload', 'rank'), name='metric_stream_once')],
            },
        ),
    ]
