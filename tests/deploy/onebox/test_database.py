"""What `make run` does with the database of another version."""

import pytest
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from deploy.onebox.database import bring_up_to_date


@pytest.mark.django_db
def test_a_database_of_a_later_version_is_refused() -> None:
    bring_up_to_date()
    MigrationRecorder(connection).record_applied("workloads", "0901_later")

    with pytest.raises(SystemCheckError, match=r"berth\.E002"):
        bring_up_to_date()
