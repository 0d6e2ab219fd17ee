"""Work that has not ended keeps the version of each data set that it has: the first one."""

from django.db import migrations

_PIN_FIRST_VERSIONS = """
UPDATE workloads_workload SET
    spec = jsonb_set(spec, '{datasets}', (
        SELECT jsonb_agg(used.name || '@1' ORDER BY used.name)
        FROM jsonb_array_elements_text(spec -> 'datasets') AS used (name)
    )),
    files = ARRAY(
        SELECT CASE WHEN used.reference LIKE 'dataset:%' THEN used.reference || '@1' ELSE used.reference END
        FROM unnest(files) AS used (reference) ORDER BY 1
    )
WHERE state NOT IN ('succeeded', 'failed', 'cancelled', 'expired')
    AND jsonb_typeof(spec -> 'datasets') = 'array' AND spec -> 'datasets' <> '[]'::jsonb
"""


class Migration(migrations.Migration):
    dependencies = [("workloads", "0023_foreign_keys_indexed_once"), ("datasets", "0002_versions")]
    operations = [migrations.RunSQL(_PIN_FIRST_VERSIONS, migrations.RunSQL.noop)]
