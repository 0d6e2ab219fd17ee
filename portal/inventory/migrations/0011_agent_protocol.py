from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0010_silent_nodes"),
    ]

    operations = [
        migrations.AddField(
            model_name="node",
            name="agent_protocol",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
