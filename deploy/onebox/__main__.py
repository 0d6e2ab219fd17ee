"""`make run`: prepare this machine, then become the launcher inside `.venv`."""

import os
import sys

from deploy.onebox.options import REPOSITORY, parse_options, refuse_taken_ports
from deploy.onebox.setup import (
    VENV_PYTHON,
    exit_on_refusal,
    prepare_machine,
    prepare_model_server,
)

if __name__ == "__main__":
    with exit_on_refusal():
        options = parse_options()
        refuse_taken_ports(options)
        prepare_machine()
        if options.with_model_server:
            prepare_model_server()
    os.chdir(REPOSITORY)
    os.execv(VENV_PYTHON, [str(VENV_PYTHON), "-m", "deploy.onebox.platform", *sys.argv[1:]])  # noqa: S606 - no shell is the point
