"""The locks of Python packages are complete, because they are installed without a resolver."""

import subprocess
import sys


def test_what_the_development_lock_installs_lacks_nothing() -> None:
    check = [sys.executable, "-m", "pip", "check", "--disable-pip-version-check"]
    result = subprocess.run(check, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stdout
