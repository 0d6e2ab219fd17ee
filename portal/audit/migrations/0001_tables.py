import portal.common.clock
from django.db import migrations, models

# A row trigger does not see TRUNCATE, so each table has two.
APPEND_ONLY = """
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'append_only';
END $$;
""" + "".join(
    f"""
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION append_only();
"""
    for table in ("audit_auditevent", "audit_auditseal")
)
# An insert locks the table before it takes its id. So when the SHARE lock is granted, every id that
# was taken belongs to an ended transaction, and no lower one can be added. The function runs with its
# owner's rights: the run-time role may be one that can only read and add.
SETTLED = """
CREATE FUNCTION audit_settled_id() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public SET lock_timeout = '200ms' AS $$
DECLARE settled bigint;
BEGIN
    LOCK TABLE public.audit_auditevent IN SHARE MODE;
    SELECT coalesce(max(id), 0) INTO settled FROM public.audit_auditevent;
    RETURN settled;
END $$;
"""


class Migration(migrations.Migration):

    replaces = [('audit', '0001_initial'), ('audit', '0002_truncate_is_refused'), ('audit', '0003_seals_and_denials')]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='DenialCount',
            fields=[
                ('key', models.CharField(max_length=200, primary_key=True, serialize=False)),
                ('since', models.DateTimeField(db_index=True, default=portal.common.clock.now)),
                ('last_at', models.DateTimeField(default=portal.common.clock.now)),
                ('repeats', models.PositiveBigIntegerField(default=0)),
                ('actor_kind', models.CharField(max_length=8)),
                ('actor_id', models.CharField(blank=True, max_length=36)),
                ('actor_name', models.CharField(blank=True, max_length=100)),
                ('action', models.CharField(max_length=64)),
                ('object_type', models.CharField(max_length=32)),
                ('group_id', models.UUIDField(null=True)),
                ('code', models.CharField(max_length=64)),
                ('address', models.CharField(blank=True, max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('at', models.DateTimeField(default=portal.common.clock.now)),
                ('actor_kind', models.CharField(max_length=8)),
                ('actor_id', models.CharField(blank=True, max_length=36)),
                ('actor_name', models.CharField(blank=True, max_length=100)),
                ('action', models.CharField(max_length=64)),
                ('object_type', models.CharField(max_length=32)),
                ('object_id', models.CharField(blank=True, max_length=64)),
                ('group_id', models.UUIDField(null=True)),
                ('outcome', models.CharField(choices=[('ok', 'Ok'), ('denied', 'Denied'), ('failed', 'Failed')], default='ok', max_length=8)),
                ('params', models.JSONField(default=dict)),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('address', models.CharField(blank=True, max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['group_id', '-id'], name='audit_by_group'), models.Index(fields=['object_type', 'object_id', '-id'], name='audit_by_object')],
            },
        ),
        migrations.CreateModel(
            name='AuditSeal',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('at', models.DateTimeField(default=portal.common.clock.now)),
                ('first_id', models.BigIntegerField()),
                ('last_id', models.BigIntegerField(unique=True)),
                ('count', models.PositiveIntegerField()),
                ('previous', models.CharField(blank=True, max_length=64)),
                ('digest', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('last_id__gte', models.F('first_id'))), name='seal_covers_events')],
            },
        ),
        migrations.RunSQL(APPEND_ONLY),
        migrations.RunSQL(SETTLED),
    ]
