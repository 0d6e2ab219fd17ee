import django.contrib.postgres.fields
import django.contrib.postgres.fields.ranges
import django.db.models.deletion
import portal.common.clock
import portal.common.ids
from django.conf import settings
from django.db import migrations, models

# Windows are only ever shortened later, so an insertion is the one moment to look. The lock of the card
# serialises two transactions that reserve it; the extension for an exclusion
# constraint over keys (btree_gist) is not part of every PostgreSQL.
ONCE_AT_A_TIME = """
CREATE FUNCTION reservations_refuse_overlap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM inventory_accelerator WHERE id = NEW.accelerator_id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT 1 FROM reservations_reserveddevice other
        WHERE other.accelerator_id = NEW.accelerator_id AND other.slot = NEW.slot
            AND other.during && NEW.during AND other.id <> NEW.id
    ) THEN
        RAISE EXCEPTION 'device % slot % is reserved at that time', NEW.accelerator_id, NEW.slot
            USING ERRCODE = 'exclusion_violation', CONSTRAINT = 'reserved_device_once_at_a_time';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reserved_device_once_at_a_time
    BEFORE INSERT ON reservations_reserveddevice
    FOR EACH ROW EXECUTE FUNCTION reservations_refuse_overlap();
"""


class Migration(migrations.Migration):

    replaces = [('reservations', '0001_initial'), ('reservations', '0002_missing_devices'), ('reservations', '0003_foreign_keys_indexed_once')]

    initial = True

    dependencies = [
        ('identity', '__first__'),
        ('inventory', '0001_tables'),
        ('tenancy', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='AdvanceReservation',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('name', models.CharField(max_length=63)),
                ('user_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('gpus', models.PositiveIntegerField(default=0)),
                ('slices', models.PositiveIntegerField(default=0)),
                ('release_unused_after_s', models.PositiveIntegerField(null=True)),
                ('cancelled_at', models.DateTimeField(null=True)),
                ('missing', models.PositiveIntegerField(default=0)),
                ('missing_since', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenancy.group')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inventory.pool')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('missing', 0), ('missing_since', None)), models.Q(('missing__gt', 0), ('missing_since__isnull', False)), _connector='OR'), name='reservation_missing_since'), models.CheckConstraint(condition=models.Q(models.Q(('gpus__gt', 0), ('slices', 0)), models.Q(('gpus', 0), ('slices__gt', 0)), _connector='OR'), name='reservation_gpus_or_slices')],
            },
        ),
        migrations.CreateModel(
            name='ReservationWindow',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('released_at', models.DateTimeField(null=True)),
                ('reservation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='windows', to='reservations.advancereservation')),
            ],
            options={
                'indexes': [models.Index(fields=['ends_at'], name='reservation_window_end')],
                'constraints': [models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='reservation_window_has_a_length'), models.UniqueConstraint(fields=('reservation', 'starts_at'), name='reservation_window_once')],
            },
        ),
        migrations.CreateModel(
            name='ReservedDevice',
            fields=[
                ('id', models.UUIDField(default=portal.common.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=portal.common.clock.now, editable=False)),
                ('slot', models.PositiveSmallIntegerField()),
                ('during', django.contrib.postgres.fields.ranges.DateTimeRangeField()),
                ('accelerator', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inventory.accelerator')),
                ('window', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='devices', to='reservations.reservationwindow')),
            ],
            options={
                'indexes': [models.Index(fields=['accelerator', 'slot'], name='reserved_device_of_card')],
                'constraints': [models.CheckConstraint(condition=models.Q(('during__isempty', False)), name='reserved_device_has_a_time')],
            },
        ),
        migrations.RunSQL(ONCE_AT_A_TIME),
    ]
