import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('list_name', models.CharField(choices=[('jobs', 'Jobs'), ('notebooks', 'Notebooks'), ('apps', 'Apps'), ('audit', 'Audit')], max_length=9)),
                ('name', models.CharField(max_length=40)),
                ('search', models.JSONField(default=dict)),
                ('hidden', models.JSONField(default=list)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='tenancy.group')),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('owner', 'list_name', 'name'), name='saved_view_once_per_owner')],
            },
        ),
        migrations.CreateModel(
            name='OpeningView',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('list_name', models.CharField(choices=[('jobs', 'Jobs'), ('notebooks', 'Notebooks'), ('apps', 'Apps'), ('audit', 'Audit')], max_length=9)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('view', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='saved_views.savedview')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'list_name'), name='opening_view_once_per_list')],
            },
        ),
    ]
