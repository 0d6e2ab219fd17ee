"""The commands for an installed server: the settings are read first, all wrong ones are named."""

import argparse
from importlib import import_module

from deploy.server import processes
from deploy.server.faults import tell
from deploy.server.settings_check import set_up_portal
from portal.config.env import Env


def run(options: argparse.Namespace) -> int:
    """Run a command; return its exit status."""
    if options.command == "healthy":
        return 0 if processes.is_healthy(options.process) else 1
    if wrong := set_up_portal():
        return tell(wrong, options.language)
    if options.command == "run":
        return processes.run(options.process, options.host)
    # Only now: they import models.
    chosen: int = import_module("deploy.server.commands.portal").run(options, Env())
    return chosen
