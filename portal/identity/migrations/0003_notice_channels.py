"""A channel of each person to which notices go, too."""

import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('identity', '0002_reading_clock'),
    ]

    operations = [
        migrations.CreateModel(
            name='NoticeChannel',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('kind', models.CharField(choices=[('webhook', 'Webhook'), ('dingtalk', 'Dingtalk'), ('feishu', 'Feishu'), ('lark', 'Lark'), ('wecom', 'Wecom'), ('slack', 'Slack'), ('teams', 'Teams')], max_length=16)),
                ('encrypted_address', models.TextField()),
                ('encrypted_secret', models.TextField(blank=True)),
                ('host', models.CharField(max_length=255)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('failed_at', models.DateTimeField(null=True)),
                ('failure', models.CharField(blank=True, max_length=40)),
                ('kinds_off', models.JSONField(default=list)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notice_channel', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='OutgoingNotice',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(default=portal.common.clock.now)),
                ('code', models.CharField(max_length=40)),
                ('params', models.JSONField(default=dict)),
                ('path', models.CharField(blank=True, max_length=200)),
                ('channel', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='waiting', to='identity.noticechannel')),
            ],
            options={
                'indexes': [models.Index(fields=['channel', 'due_at'], name='outgoing_notice_due')],
            },
        ),
    ]
