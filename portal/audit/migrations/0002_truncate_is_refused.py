"""Append-only means that the table cannot be emptied either: a row trigger does not see TRUNCATE."""

from django.db import migrations

TABLES = ("audit_auditevent", "workloads_workloadevent")
GUARD = "".join(
    f"CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON {table}"
    " FOR EACH STATEMENT EXECUTE FUNCTION append_only();"
    for table in TABLES
)
UNGUARD = "".join(f"DROP TRIGGER append_only_whole ON {table};" for table in TABLES)


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("workloads", "0002_database_rules")]
    operations = [migrations.RunSQL(GUARD, UNGUARD)]
