import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('environments', '0004_saved_images'),
        ('workloads', '0022_sorted_lists'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AccessShare',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('is_full', models.BooleanField()),
                ('expires_at', models.DateTimeField()),
                ('recipient', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workload', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workloads.workload')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workload', 'recipient'), name='access_share_once')],
            },
        ),
    ]
