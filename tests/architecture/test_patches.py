"""Nothing is patched but what plants a bug: a test hands in what it wants to be otherwise."""

import ast
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from tests.architecture.sources import Source, sources

PLANTS: Final = {"bugs.py", "test_planted_bugs.py", "test_planted_models.py"}
"""Files that break a rule of the core to show that a test would notice."""
PATCHED: Final = {
    # Limits and times of a module.
    "ANSWER_S",
    "APPEAR_S",
    "ARCHIVE_FILES_MAX",
    "BATCH_FILES_MAX",
    "BATCH_FILE_MAX",
    "CLOSED_POLL_S",
    "FAULTS_MAX",
    "FOLDER_ENTRIES_MAX",
    "FREE_MIN_MIB",
    "PROC",
    "REPORT_S",
    "RESTORED_FILES_MAX",
    "ROWS_MAX",
    "SAMPLES_LATE",
    "SECRETS_PER_USER_MAX",
    "SUBFOLDERS_MAX",
    "UNANSWERED_MAX",
    "UPLOADS_MAX",
    "_GROUP_FILES",
    "_places",
    "_queue_view",
    # What fails, or comes between two steps.
    "calendar_for_system",
    "find_first_change",
    "list_copies",
    "load_snapshot",
    "monotonic",
    "name",  # of each function that an archive reads with
    "read_json",
    "replace",
    "resolve",
    "rmtree",
    "say",
    "scandir",
    "send",
    "sleep",
    "tidy",
}
"""What was patched when the rule got its check; a name goes when it is handed in."""
_PATCHES: Final = {"setattr", "delattr", "setitem", "delitem"}


def test_nothing_more_is_patched() -> None:
    found = [
        f"{source.path}:{line} {name}"
        for source in sources(("tests",))
        for line, name in _patches(source)
        if name not in PATCHED
    ]

    assert found == []


def test_the_list_of_what_is_patched_is_no_longer_than_it_must_be() -> None:
    patched = {name for source in sources(("tests",)) for _, name in _patches(source)}

    assert sorted(PATCHED - patched) == []


def _patches(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line of each patch and the last name of what it replaces."""
    if PurePath(source.path).name in PLANTS:
        return
    for node in source.nodes():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in _PATCHES:
            yield node.lineno, _target(node)


def _target(call: ast.Call) -> str:
    match call.args:
        case [ast.Constant(value=str(path)), _]:
            return path.rpartition(".")[2]
        case [_, ast.Constant(value=str(name)), *_]:
            return name
        case [_, ast.Name(id=variable), *_]:
            return variable
        case _:
            return ast.unparse(call)
