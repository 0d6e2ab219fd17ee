"""Scripts that no interpreter reads as their author does: line ends of Windows, byte order marks, programs not there.

The kernel and shells say only that something was not found; a program's name that ends with an invisible character
looks right in a log. Standard library only: shims import this.
"""

import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import Final

from nodeagent.core.state import Finished
from nodeagent.disk.container_dir import ContainerDir
from wire.words import ExitCause

LINE_ENDS: Final = "script_line_ends"
MARK: Final = "script_mark"
INTERPRETER: Final = "script_interpreter"
PATH: Final = "path_not_found"
"""A file, or what its first line names: some shells do not say which."""
NOT_FOUND: Final = 127
"""Exit code of a shell that found no such program."""
OUTPUT_MAX: Final = 4096
"""Bytes at the end of a log that are looked at."""
FIRST_LINE_MAX: Final = 256
"""Bytes of a first line that the kernel reads."""
WORDS_MAX: Final = 150
_SIGNS: Final = (
    # As shells and env write it: its own characters, `\r`, `^M`.
    (LINE_ENDS, re.compile(rb"[^\n]*(?::[^\r\n]*\r(?=\n|$|: )|\\r['\xe2]|\^M)[^\n]*")),
    (MARK, re.compile(rb"[^\n]*\xef\xbb\xbf#![^\n]*")),
    (INTERPRETER, re.compile(rb"[^\n]*: (?:bad interpreter|cannot execute: required file)[^\n]*")),
)
_PATH_SIGN: Final = re.compile(rb"[^\n]*/[^:\n]*: (?:not found|No such file or directory)")
_SHELL: Final = re.compile(
    rb"(?:[^\n:]+: (?:\w+: )?(?:line )?\d+: |/?[\w/]*env: |[^\n]*bad interpreter: )"
)
"""How a line begins in which a shell, or env, says what it could not do."""
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def name_script_fault(end: Finished, directory: ContainerDir) -> Finished:
    """Return the end of work that failed, with what its last output says of such a script; or as it was."""
    if end.cause is not ExitCause.EXITED or not end.exit_code or end.detail:
        return end
    size = directory.log_path.stat().st_size
    output = directory.read_log(max(0, size - OUTPUT_MAX), OUTPUT_MAX)
    return replace(end, detail=find_fault_in_output(output, end.exit_code))


def find_fault_in_output(output: bytes, exit_code: int) -> str:
    """Return the fault that a shell's last words name, as code and words; empty for none."""
    signs = [*_SIGNS, *([(PATH, _PATH_SIGN)] if exit_code == NOT_FOUND else [])]
    said = [line for line in output.split(b"\n") if _SHELL.match(line)]
    found = (
        (code, line) for line in reversed(said) for code, sign in signs if sign.fullmatch(line)
    )
    code, line = next(found, ("", b""))
    return _describe(code, line) if code else ""


def find_fault_of_program(argv: tuple[str, ...], folder: str) -> str:
    """Return why the kernel did not start a script that is there; empty where it is none, or not there.

    A program without a slash was looked for elsewhere, and not found.
    """
    if "/" not in argv[0]:
        return ""
    try:
        head = _read_head(Path(folder) / argv[0])
    except OSError:
        return ""
    return find_fault_of_head(head)


def find_fault_of_head(head: bytes) -> str:
    """Return what the kernel does not understand of the beginning of a script."""
    if head.startswith(_MARKS):
        return MARK
    if not head.startswith(b"#!"):
        return ""
    line = head.split(b"\n", 1)[0]
    return _describe(LINE_ENDS if b"\r" in line else INTERPRETER, line.removeprefix(b"#!"))


def _describe(code: str, line: bytes) -> str:
    words = line.decode(errors="replace").strip(" \t").replace("\r", "^M")
    return f"{code}: {''.join(filter(str.isprintable, words))[:WORDS_MAX]}"


def _read_head(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, FIRST_LINE_MAX) if is_file else b""
    finally:
        os.close(descriptor)
