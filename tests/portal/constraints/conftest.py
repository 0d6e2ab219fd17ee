"""What all tests of the database's rules need."""

import pytest

from portal.site.models import SiteSettings


@pytest.fixture(autouse=True)
def no_site_settings(db: None) -> None:
    """Remove the row that the first migration writes: a sound row of its table is the only one."""
    SiteSettings.objects.all().delete()
