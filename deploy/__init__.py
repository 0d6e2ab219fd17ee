"""Installing and running Berth on a machine."""

import sys

PYTHON_MIN = (3, 11)

# Checked here, because an older Python cannot even parse the modules below.
if sys.version_info < PYTHON_MIN:
    sys.exit(f"berth: Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
