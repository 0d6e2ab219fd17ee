import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('tenancy', '0001_initial'), ('tenancy', '0002_titles_in_both_languages'), ('tenancy', '0003_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Group',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.SlugField(max_length=63, unique=True)),
                ('title_en', models.CharField(max_length=100)),
                ('title_zh', models.CharField(max_length=100)),
                ('parent', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='tenancy.group')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.Value(1), condition=models.Q(('parent', None)), name='group_one_root'), models.CheckConstraint(condition=models.Q(('parent', models.F('id')), _negated=True), name='group_not_own_parent')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('role', models.CharField(choices=[('group_admin', 'Admin'), ('developer', 'Developer'), ('viewer', 'Viewer')], max_length=16)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='tenancy.group')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'group'), name='membership_once')],
            },
        ),
    ]
