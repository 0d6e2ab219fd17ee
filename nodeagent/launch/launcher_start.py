"""Starts a launcher, or notes that the image lacks its program; the same for all of them.

The agent gives the script to every rank. Without it the reason would be an exit code of a shell or
of Python, which the work's own command may have as well.
"""

from typing import Final

SCRIPT_NAME: Final = "launcher"
SCRIPT: Final = r"""#!/bin/sh
set -u
program=$1
module=$2
shift 2
refuse() {
  echo "berth: the image does not have $1" >&2
  : > "${BERTH_CHECKPOINT_FILE%/*}/fault.program_missing.$1"
  exit 1
}
command -v "$program" > /dev/null || refuse "$program"
if [ -n "$module" ]; then
  # A folder of that name in the working directory is found as well, but has no origin.
  "$program" -c '
import sys
from importlib.util import find_spec
sys.exit(3 if getattr(find_spec(sys.argv[1]), "origin", None) is None else 0)
' "$module" > /dev/null 2>&1
  [ "$?" -ne 3 ] || refuse "$module"
fi
exec "$@"
"""


def launcher_argv(
    notice_dir: str, argv: tuple[str, ...], *, program: str = "python3", module: str = ""
) -> tuple[str, ...]:
    """Return the command line that runs `argv` if the program is there, and has the module.

    `notice_dir` is the folder of the agent's files as seen by the work.
    """
    return ("sh", f"{notice_dir}/{SCRIPT_NAME}", program, module, *argv)
