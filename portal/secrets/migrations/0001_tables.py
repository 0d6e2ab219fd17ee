import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('secrets', '0001_initial'), ('secrets', '0002_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Secret',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.CharField(max_length=63)),
                ('encrypted_value', models.TextField()),
                ('value_bytes', models.PositiveIntegerField()),
                ('changed_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(null=True)),
                ('group', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='tenancy.group')),
                ('user', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('group__isnull', False), ('user', None)), models.Q(('group', None), ('user__isnull', False)), _connector='OR'), name='secret_has_one_owner'), models.UniqueConstraint(fields=('user', 'name'), name='secret_once_per_user'), models.UniqueConstraint(fields=('group', 'name'), name='secret_once_per_group')],
            },
        ),
    ]
