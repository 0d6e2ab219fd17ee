import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('catalog', '0001_initial'), ('catalog', '0002_saved_images'), ('catalog', '0003_web_apps')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Image',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.SlugField(max_length=63, unique=True)),
                ('title_en', models.CharField(max_length=100)),
                ('title_zh', models.CharField(max_length=100)),
                ('description_en', models.CharField(blank=True, max_length=500)),
                ('description_zh', models.CharField(blank=True, max_length=500)),
                ('reference', models.CharField(max_length=300)),
                ('for_environments', models.BooleanField(default=False)),
                ('for_training', models.BooleanField(default=False)),
                ('is_active', models.BooleanField(default=True)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('group', None), ('owner__isnull', False), _connector='OR'), name='image_shared_by_its_owner')],
            },
        ),
        migrations.CreateModel(
            name='WebApp',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.SlugField(max_length=63, unique=True)),
                ('title_en', models.CharField(max_length=100)),
                ('title_zh', models.CharField(max_length=100)),
                ('description_en', models.CharField(blank=True, max_length=500)),
                ('description_zh', models.CharField(blank=True, max_length=500)),
                ('icon', models.CharField(choices=[('chart', 'Chart'), ('experiment', 'Experiment'), ('code', 'Code'), ('table', 'Table'), ('app', 'App')], default='app', max_length=16)),
                ('command', models.JSONField(default=list)),
                ('keeps_prefix', models.BooleanField(default=False)),
                ('cpu_milli', models.PositiveIntegerField()),
                ('memory_mib', models.PositiveIntegerField()),
                ('idle_s', models.PositiveIntegerField()),
                ('time_limit_s', models.PositiveIntegerField()),
                ('is_active', models.BooleanField(default=True)),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SavedImage',
            fields=[
                ('image', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='saved', serialize=False, to='catalog.image')),
                ('workload_id', models.UUIDField()),
                ('workload_name', models.CharField(max_length=63)),
                ('digest', models.CharField(max_length=71)),
                ('size_bytes', models.PositiveBigIntegerField()),
                ('removed_at', models.DateTimeField(null=True)),
                ('deleted_at', models.DateTimeField(null=True)),
                ('base', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='catalog.image')),
                ('workload_group', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('deleted_at', None), ('removed_at__isnull', False), _connector='OR'), name='saved_image_removed_before_deleted')],
            },
        ),
    ]
