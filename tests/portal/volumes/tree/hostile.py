"""Trees as bad intent makes them, beside files that are not theirs."""

import os
import stat
from contextlib import suppress
from pathlib import Path

LONGEST_NAME = "名" * 85
"""255 bytes in UTF-8."""
NAMES = (
    "报告 1.txt",
    "отчёт.txt",
    "تقرير.txt",
    "レポート.txt",
    "👩‍🔬.txt",
    "e\u0301.txt",
    " spaces at both ends ",
    "'quotes\" and $(id); `id`",
    "-rf",
    "%2e%2e",
    "back\\slash",
    "<script>.html",
    ".hidden",
    "...",
    LONGEST_NAME,
)
"""Names that are unusual, and allowed."""
NO_PATHS = (
    ".",
    "..",
    "../secret.txt",
    "../../secret.txt",
    "folder/../../secret.txt",
    "folder/../notes.txt",
    "/etc/passwd",
    "//etc/passwd",
    "folder//notes.txt",
    "folder/",
    "./notes.txt",
    "notes.txt/x",
    "notes.txt\0",
    "\udcff",
    "a" * 256,
    "/".join(["a"] * 100),
    "a" * 5000,
    ".berth/uploads/x",
    ".Trash-1000/files/x",
)
"""Paths that name no file."""
LINKS = ("out", "out/secret.txt", "etc", "etc/passwd", "passwd", "up/secret.txt", "inside", "loop")
"""Paths through links of `make_hostile_tree`."""
SPECIALS = ("pipe", "socket", "device")
"""Entries that are neither file nor folder; the device is there only for root."""


def make_hostile_tree(top: Path) -> None:
    """Make ordinary files, and links out of the tree, devices and pipes beside them."""
    (top / "folder" / "below").mkdir(parents=True)
    (top / "notes.txt").write_text("mine")
    (top / "folder" / "deep.txt").write_text("deep")
    (top.parent / "secret.txt").write_text("not yours")
    (top / "out").symlink_to(top.parent)
    (top / "up").symlink_to("..")
    (top / "etc").symlink_to("/etc")
    (top / "passwd").symlink_to("/etc/passwd")
    (top / "inside").symlink_to("notes.txt")
    (top / "loop").symlink_to("loop")
    os.mkfifo(top / "pipe")
    os.mknod(top / "socket", 0o600 | stat.S_IFSOCK)
    with suppress(PermissionError):
        os.mknod(top / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
