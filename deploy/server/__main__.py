"""`python -m deploy.server`, also `berth-server`: the one entry point of an installation.

`init` needs Python alone; what a command needs besides is imported when it is chosen.
"""

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from deploy.server.answers import QUESTIONS
from deploy.server.faults import RefusalError, tell
from deploy.server.words import LANGUAGES, choose_language


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 1 with all reasons on standard error."""
    options, rest = parser().parse_known_args(arguments)
    if rest and options.command not in ("manage", "create-admin"):
        parser().error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    room = "fresh" if options.command == "init" else "installed"
    try:
        return int(import_module(f"deploy.server.commands.{room}").run(options))
    except RefusalError as refusal:
        return tell([refusal.fault], options.language)


def parser() -> argparse.ArgumentParser:
    """Return the command line of all commands."""
    top = argparse.ArgumentParser(prog="berth-server", description="Berth's server: all it needs.")
    top.add_argument("--language", choices=LANGUAGES, default=choose_language())
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_fresh(commands.add_parser("init", help="write .env and secrets, from answers"))
    check = commands.add_parser("check", help="name every fault of the installation")
    check.add_argument("--before-start", action="store_true", help="its ports must be free")
    check.add_argument("--backups", type=Path, help="folder of backups, to look at its room")
    migrate = commands.add_parser("migrate", help="bring the tables up to date")
    _add_roles(migrate)
    commands.add_parser("create-admin", help="add a platform administrator", add_help=False)
    _add_backups(commands)
    bundle = commands.add_parser("support-bundle", help="collect what helps others to help")
    bundle.add_argument("--output", type=Path, default=Path("berth-support.tar.gz"))
    bundle.add_argument("--logs", default="", help="folder of *.log files, or - for standard input")
    _add_processes(commands)
    commands.add_parser("manage", help="a command of Django", add_help=False)
    return top


def _add_fresh(init: argparse.ArgumentParser) -> None:
    init.add_argument("--folder", type=Path, default=Path(), help="where .env is written")
    init.add_argument("--yes", action="store_true", help="take the default where nothing is given")
    for question in QUESTIONS:
        shown = question.default or "empty"
        init.add_argument(question.option, dest=question.name, help=f"default: {shown}")


def _add_roles(command: argparse.ArgumentParser) -> None:
    command.add_argument("--app-role", default="", help="role of the processes, to be granted")
    command.add_argument("--keeper-role", default="", help="role that makes partitions")


def _add_backups(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    tools = argparse.ArgumentParser(add_help=False)
    tools.add_argument("--tools", type=Path, help="folder of pg_dump; default: the path")
    backup = commands.add_parser("backup", parents=[tools], help="write a consistent backup")
    backup.add_argument("--into", type=Path, default=Path("/backups"))
    restore = commands.add_parser("restore", parents=[tools], help="into an empty database only")
    restore.add_argument("backup", type=Path)
    restore.add_argument("--confirm", action="store_true", help="do it, having seen what it says")
    _add_roles(restore)
    upgrade = commands.add_parser("upgrade", parents=[tools], help="back up, then migrate")
    upgrade.add_argument("--into", type=Path, default=Path("/backups"), help="folder of backups")
    upgrade.add_argument("--stopped", action="store_true", help="no process of before runs")
    _add_roles(upgrade)


def _add_processes(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    names = ("web", "live", "inference", "scheduler", "worker", "beat")
    run = commands.add_parser("run", help="become a process of the platform")
    run.add_argument("process", choices=names)
    run.add_argument("--host", default="127.0.0.1", help="address to listen on")
    healthy = commands.add_parser("healthy", help="exit with 0 if a process does its work")
    healthy.add_argument("process", choices=names)
    demo = commands.add_parser("demo", help="the demo's organisation, and tokens for its nodes")
    demo.add_argument("--folder", type=Path, required=True, help="for its logins and tokens")
    demo.add_argument("nodes", nargs="+", type=_node_in_pool, metavar="NODE=POOL")


def _node_in_pool(text: str) -> tuple[str, str]:
    node, separator, pool = text.partition("=")
    if not (node and separator and pool):
        raise argparse.ArgumentTypeError("not NODE=POOL")
    return node, pool


if __name__ == "__main__":
    raise SystemExit(main())
