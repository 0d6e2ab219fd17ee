"""`make run`: prepare this machine, then become the launcher inside `.venv`."""

import os
import sys

from deploy.onebox.options import REPOSITORY, parse_options, refuse_taken_ports
from deploy.onebox.setup import VENV_PYTHON, exit_on_refusal, prepare_machine

if __name__ == "__main__":
    with exit_on_refusal():
        refuse_taken_ports(parse_options())
        prepare_machine()
    os.chdir(REPOSITORY)
    os.execv(VENV_PYTHON, [str(VENV_PYTHON), "-m", "deploy.onebox.platform", *sys.argv[1:]])  # noqa: S606 - no shell is the point
