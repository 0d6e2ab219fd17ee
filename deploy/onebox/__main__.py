"""`make run`: prepare this machine, then become the launcher inside `.venv`."""

import os
import sys

from deploy.onebox.options import REPOSITORY, parse, refuse_taken_ports
from deploy.onebox.setup import VENV_PYTHON, prepare, refusals_end_the_program

if __name__ == "__main__":
    with refusals_end_the_program():
        refuse_taken_ports(parse())
        prepare()
    os.chdir(REPOSITORY)
    os.execv(VENV_PYTHON, [str(VENV_PYTHON), "-m", "deploy.onebox.platform", *sys.argv[1:]])  # noqa: S606 - no shell is the point
