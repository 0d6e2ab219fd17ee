"""What migrations write into rows that exist."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from portal.inventory.models import Pool
from tests.builders.machines import a_pool

pytestmark = pytest.mark.django_db


def test_a_site_that_protects_its_work_longer_keeps_that_for_reclaim() -> None:
    chosen, plain = a_pool(), a_pool()
    Pool.objects.filter(pk=chosen.pk).update(policy={"min_runtime_s": 3600})
    Pool.objects.filter(pk=plain.pk).update(policy={"grace_s": 30})
    migration = import_module("portal.inventory.migrations.0014_protection_from_reclaim")

    with connection.schema_editor() as editor:
        migration.keep_protection(apps, editor)

    chosen.refresh_from_db()
    plain.refresh_from_db()
    assert chosen.policy == {"min_runtime_s": 3600, "reclaim_min_runtime_s": 3600}
    assert plain.policy == {"grace_s": 30}
