"""Everything that brings Berth onto a machine."""

import sys

PYTHON_MIN = (3, 11)

# Said here, because the modules below cannot even be read by an older Python.
if sys.version_info < PYTHON_MIN:
    sys.exit(f"berth: Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
