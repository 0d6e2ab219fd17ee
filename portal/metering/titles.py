"""What the subjects of usage are called, in both languages."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from django.db import connection

from portal.common.postgresql.arrays import format_array
from portal.common.translations import translate

OTHER: Final = "other"
"""The key of all subjects that have no row of their own."""
_CODED: Final = {"kind": "kind", "outcome": "of"}
"""Groupings whose keys are codes, and where their words stand."""
# Keys come as one array: a statement with a parameter for each takes longer to write than to answer.
_TITLES: Final = {
    "group": """
SELECT id::text, title_en, title_zh,
    EXISTS (SELECT 1 FROM tenancy_group below WHERE below.parent_id = found.id)
FROM tenancy_group found WHERE id = ANY(%(keys)s::uuid[])
""",
    "user": """
SELECT id::text, title, title, false
FROM identity_user, LATERAL (SELECT coalesce(nullif(display_name, ''), username) AS title) shown
WHERE id = ANY(%(keys)s::uuid[])
""",
    "pool": """
SELECT id::text, title_en, title_zh, false FROM inventory_pool WHERE id = ANY(%(keys)s::uuid[])
""",
}


class Titles(NamedTuple):
    """What one subject is called, and whether it is a group with groups below it."""

    en: str
    zh: str
    has_subgroups: bool = False


def find_titles(group_by: str, keys: Collection[str]) -> Mapping[str, Titles]:
    """Return the titles of all keys; what is gone is called by its key."""
    found: dict[str, Titles] = {key: _words(group_by, key) for key in keys}
    stored = [key for key in keys if key != OTHER] if group_by in _TITLES else []
    if stored:
        with connection.cursor() as cursor:
            cursor.execute(_TITLES[group_by], {"keys": format_array(stored)})
            found |= {key: Titles(*titles) for key, *titles in cursor.fetchall()}
    return found


def _words(group_by: str, key: str) -> Titles:
    """Return the words of a key that is a code; any other key is its own title."""
    if key == OTHER:
        code = "report.other"
    elif group_by in _CODED:
        code = f"report.{_CODED[group_by]}.{key}"
    elif group_by == "model" and not key:
        code = "report.no_gpu"
    else:
        return Titles(key, key)
    return Titles(translate("en", code, {}), translate("zh-CN", code, {}))
