"""The commands that need the portal's tables; Django is set up when this is imported."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from django.core.management import call_command, execute_from_command_line

from deploy.server import backups, demo, roles, support, upgrades
from deploy.server.check import find_faults
from deploy.server.faults import RefusalError, tell
from deploy.server.words import say
from portal.config.env import Env

Options = argparse.Namespace
STDOUT: Final = Path("-")


def run(options: Options, env: Env) -> int:
    """Run a command; return its exit status."""
    return COMMANDS[options.command](options, env)


def check(options: Options, env: Env) -> int:
    """Name every fault."""
    faults = find_faults(env, before_start=options.before_start, backups=options.backups)
    status = tell(faults, options.language)
    if not status:
        print(say(options.language, "no_faults"))
    return status


def migrate(options: Options, _env: Env) -> int:
    """Bring the tables up to date, then say who may use them."""
    upgrades.migrate()
    if options.app_role:
        roles.grant(options.app_role, options.keeper_role or options.app_role)
    return 0


def create_admin(options: Options, _env: Env) -> int:
    """Add a platform administrator."""
    call_command("create_admin", *options.rest)
    return 0


def backup(options: Options, env: Env) -> int:
    """Write a backup."""
    made = backups.back_up(env.database_url, env.storage_dir, options.into, options.tools)
    print(say(options.language, "backup_made", {"path": made}))
    return 0


def restore(options: Options, env: Env) -> int:
    """Show what a backup is, and what is not in it; then restore it, if that is confirmed."""
    language = options.language
    manifest = backups.read_backup(options.backup)
    upgrades.refuse_later_version(manifest.migrations)
    backups.require_empty(env.database_url)
    counts = {**manifest.counts, "at": f"{manifest.made_at:%Y-%m-%d %H:%M:%S %Z}"}
    print(say(language, "backup_holds", counts))
    for line in backups.compare_storage(manifest, env.storage_dir):
        print(line.say(language))
    print(say(language, "restore_decides_nothing"))
    if not options.confirm:
        raise RefusalError("not_confirmed")
    backups.restore(options.backup, env.database_url, options.tools)
    migrate(options, env)
    call_command("after_restore")
    return 0


def upgrade(options: Options, env: Env) -> int:
    """Look for what stands against it, back up, and bring the tables up to date."""
    if found := list(upgrades.find_upgrade_faults(are_stopped=options.stopped)):
        return tell(found, options.language)
    if upgrades.pending_migrations():
        backup(options, env)
    return migrate(options, env)


def support_bundle(options: Options, env: Env) -> int:
    """Write an archive for people who help."""
    faults = list(find_faults(env, before_start=False))
    logs = support.read_logs(options.logs)
    files = support.collect(env, faults, upgrades.applied_migrations(), logs)
    secrets = support.find_secrets(env)
    if options.output == STDOUT:
        support.write_bundle(sys.stdout.buffer, files, secrets)
        return 0
    with os.fdopen(_create(options.output), "wb") as file:
        support.write_bundle(file, files, secrets)
    print(say(options.language, "bundle_written", {"path": options.output}))
    return 0


def _create(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise RefusalError("path_exists", path=path) from error


def seed_demo(options: Options, _env: Env) -> int:
    """Write the demo's organisation, and the tokens of its nodes."""
    demo.seed(options.folder, dict(options.nodes))
    return 0


def manage(options: Options, _env: Env) -> int:
    """Run a command of Django."""
    execute_from_command_line(["berth-server manage", *options.rest])
    return 0


COMMANDS: Final[Mapping[str, Callable[[Options, Env], int]]] = {
    "check": check,
    "migrate": migrate,
    "create-admin": create_admin,
    "backup": backup,
    "restore": restore,
    "upgrade": upgrade,
    "support-bundle": support_bundle,
    "demo": seed_demo,
    "manage": manage,
}
