# Tickets, grants and shares become tables of the app of endpoints; their rows stay as they are.

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('environments', '0005_images'),
    ]

    operations = [
        migrations.AlterModelTable(name='ticket', table='endpoints_ticket'),
        migrations.AlterModelTable(name='grant', table='endpoints_grant'),
        migrations.AlterModelTable(name='accessshare', table='endpoints_accessshare'),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name='Ticket'),
                migrations.DeleteModel(name='Grant'),
                migrations.DeleteModel(name='AccessShare'),
            ],
        ),
    ]
