import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0015_node_builds_images'),
        ('quotas', '0011_foreign_keys_indexed_once'),
        ('tenancy', '0002_titles_in_both_languages'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MemberCeilingChange',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('resource', models.CharField(max_length=16)),
                ('model', models.CharField(blank=True, max_length=100)),
                ('before', models.BigIntegerField(null=True)),
                ('after', models.BigIntegerField(null=True)),
                ('change', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='quotas.quotachange')),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenancy.group')),
                ('pool', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.pool')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['group', '-change'], name='ceiling_change_by_group')],
            },
        ),
    ]
