"""What the output of real shells says of scripts from elsewhere, and what is not taken for it."""

import os
import subprocess
from pathlib import Path

import pytest

from nodeagent.disk.script_faults import (
    INTERPRETER,
    LINE_ENDS,
    MARK,
    PATH,
    find_fault_in_output,
    find_fault_of_head,
    find_fault_of_program,
)

STRICT = b"#!/bin/bash\r\nset -euo pipefail\r\n"
LOOP = b"#!/bin/bash\r\ncd /tmp\r\nno-such-program\r\n"


def fault_of(folder: Path, content: bytes, *command: str) -> str:
    """Run a command beside a script; return the code of the fault that its output names."""
    script = folder / "train.sh"
    script.write_bytes(content)
    script.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    ended = subprocess.run(
        command, cwd=folder, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert ended.returncode != 0
    return find_fault_in_output(ended.stdout, ended.returncode).partition(":")[0]


@pytest.mark.parametrize("content", [STRICT, LOOP])
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_script_that_a_shell_reads_names_its_line_ends(
    tmp_path: Path, shell: str, content: bytes
) -> None:
    assert fault_of(tmp_path, content, shell, "train.sh") == LINE_ENDS


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_script_that_is_started_is_named(tmp_path: Path, shell: str) -> None:
    start = (shell, "-c", "./train.sh")
    assert fault_of(tmp_path, b"#!/usr/bin/env python3\r\n", *start) == LINE_ENDS
    seen = {
        fault_of(tmp_path, first_line, *start)
        for first_line in (STRICT, b"#!/no/such/program\n", b"#!/bin/bash\r")
    }
    assert seen <= {LINE_ENDS, INTERPRETER, PATH}
    assert fault_of(tmp_path, b"\xef\xbb\xbf#!/bin/sh\nexit 3\n", *start) == MARK


def test_last_words_count_and_no_other() -> None:
    lines = b"a.sh: line 2: $'foo\\r': command not found\n"
    named = f"{LINE_ENDS}: a.sh: line 2: $'foo\\r': command not found"
    assert find_fault_in_output(b"10%\r20%\r\n" + lines + b"bye\n", 1) == named
    old = b"/bin/x: ./a.sh: /bin/bash^M: bad interpreter: No such file or directory\n"
    assert find_fault_in_output(old, 126).startswith(LINE_ENDS)
    raw = b"a.sh: 2: set: Illegal option -o pipefail\r\n"
    assert find_fault_in_output(raw, 2) == f"{LINE_ENDS}: {raw.decode().strip()}^M"


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"epoch 1: 10%\r epoch 1: 20%\r\n",
        b"Traceback (most recent call last):\r\n  x: 3: y\r\n"[:36],
        b"FileNotFoundError: [Errno 2] No such file or directory: 'a/b'\n",
        b"ls: cannot access '/a/b': No such file or directory\n",
        b"a.sh: line 2: foo: command not found\n",
        bytes(range(256)) * 16,
    ],
)
def test_other_output_says_nothing_of_scripts(output: bytes) -> None:
    assert find_fault_in_output(output, 127) == ""


def test_path_that_was_not_found_may_be_a_script() -> None:
    line = b"sh: 1: ./train.sh: not found"
    assert find_fault_in_output(line + b"\n", 127) == f"{PATH}: {line.decode()}"
    assert find_fault_in_output(line + b"\n", 1) == ""


@pytest.mark.parametrize(
    ("head", "fault"),
    [
        (b"#!/bin/bash\r\necho\r\n", f"{LINE_ENDS}: /bin/bash^M"),
        (b"#!/bin/bash\recho\r", f"{LINE_ENDS}: /bin/bash^Mecho^M"),
        (b"#! /opt/x/python -u\n", f"{INTERPRETER}: /opt/x/python -u"),
        (b"\xef\xbb\xbf#!/bin/sh\n", MARK),
        (b"\xff\xfe#\0!\0", MARK),
        (b"#!/bin/\x1b[31m\xff\n", f"{INTERPRETER}: /bin/[31m\ufffd"),
        (b"echo fine\n", ""),
        (b"\x7fELF", ""),
        (b"", ""),
    ],
)
def test_beginning_of_a_script_names_what_the_kernel_did_not_find(head: bytes, fault: str) -> None:
    assert find_fault_of_head(head) == fault


def test_only_a_path_is_looked_at(tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    script.write_bytes(b"#!/bin/bash\r\n")
    os.mkfifo(tmp_path / "pipe")
    assert find_fault_of_program(("./a.sh",), str(tmp_path)).startswith(LINE_ENDS)
    assert find_fault_of_program((str(script), "x"), "/").startswith(LINE_ENDS)
    for program in ("a.sh", "./gone.sh", "./pipe", "./"):
        assert find_fault_of_program((program,), str(tmp_path)) == ""
