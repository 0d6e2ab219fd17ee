"""The table of Django's database cache, which holds the sign-in limits."""

from django.db import migrations

CREATE = """
CREATE TABLE common_cache (
    cache_key varchar(255) PRIMARY KEY,
    value text NOT NULL,
    expires timestamptz NOT NULL
);
CREATE INDEX common_cache_expires ON common_cache (expires);
"""


class Migration(migrations.Migration):
    dependencies = [("common", "0001_initial")]
    operations = [migrations.RunSQL(CREATE, "DROP TABLE common_cache")]
