"""The story as an operator runs and reads it: simulated by a worker, beside what this cluster does."""

import pytest
from playwright.sync_api import expect

from tests.e2e.story import SitDown, press
from tests.e2e.words import CHINESE, ENGLISH
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SIMULATED_MS = 400_000
"""About twenty seconds of a processor that others use as well."""
TOLD_AFTER = {"card_hours_per_card_day": 22.8, "utilisation_pct": 80, "tasks_per_week": 368}


def test_the_story_is_run_from_the_page_and_stands_beside_this_cluster(
    platform: Launched, person: SitDown
) -> None:
    admin = person(platform, ENGLISH)
    admin.sign_in("admin")
    page, said = admin.page, ENGLISH.texts("features/studies")["story"]
    page.goto(f"{platform.url}/what-if")
    press(page, said["run"])
    expect(page.get_by_role("heading", name=said["title"], exact=True)).to_be_visible()
    # The page follows the worker; nobody reloads it.
    shown = page.get_by_test_id("story")
    expect(shown.get_by_text(said["reached"])).to_have_count(3, timeout=SIMULATED_MS)
    expect(page.locator("main canvas")).to_have_count(3)
    expect(page.get_by_test_id("cluster-weeks")).to_be_visible()
    study = admin.call("GET", f"studies/{page.url.rpartition('/')[2]}")
    for name, least in TOLD_AFTER.items():
        assert study["story"]["after"][name] >= least
        assert study["story"]["before"][name] < least

    reader = person(platform, CHINESE)
    reader.sign_in("admin")
    reader.page.goto(page.url)
    chinese = CHINESE.texts("features/studies")["story"]
    expect(reader.page.get_by_test_id("story")).to_contain_text(chinese["bar"]["ours"])
    admin.call("DELETE", f"studies/{study['id']}")
