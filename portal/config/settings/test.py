"""Settings of the tests: the real stores in a folder of this run, small hashes.

The variables are set here, before Django reads its settings; `tests/stores.py` starts the servers
when the first test needs them. Workers of a parallel run inherit the variables.
"""

import os
import tempfile
from dataclasses import replace

_STORES = os.environ.setdefault(
    "BERTH_TEST_STORES", f"{tempfile.gettempdir()}/berth-test-{os.getpid()}"
)
os.environ.setdefault("BERTH_SECRET_KEY", "only-for-tests-" + "0" * 40)
os.environ.setdefault("BERTH_DATABASE_URL", f"postgresql://postgres@/berth?host={_STORES}/pg")
_REDIS = f"unix://{_STORES}/redis.sock"
if os.environ.get("BERTH_REDIS_URL", _REDIS).startswith(_REDIS):
    # One Redis database per worker of a parallel run.
    _WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    os.environ["BERTH_REDIS_URL"] = f"{_REDIS}?db={_WORKER}"
os.environ.setdefault("BERTH_STORAGE_DIR", f"{_STORES}/storage")
os.environ.setdefault("BERTH_TIME_ZONE", "Asia/Shanghai")
os.environ.setdefault("BERTH_LOG_LEVEL", "WARNING")

from portal.config.settings.base import *  # noqa: E402, F403 - settings extend by star, Django's own idiom

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SITE = replace(SITE, run_times_learned_every_s=0, site_view_age_s=0, queue_view_age_s=0)  # noqa: F405 - from the star import above
FOLLOWS_DATABASE_CLOCK = False
"""Tests without a database ask for the time, too; the clock itself has tests of its own."""
MFA_TOTP_PERIOD = 3600
MFA_TOTP_TOLERANCE = 1
"""No code ends between the request that computes it and the one that checks it."""
WHITENOISE_AUTOREFRESH = True
"""Each client of a test is a portal of its own: it looks for a page's file when one asks for it."""
