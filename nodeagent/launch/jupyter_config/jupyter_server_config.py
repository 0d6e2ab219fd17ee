"""Read by JupyterLab's server at its start, in the notebook and as its owner.

Links what the notebook was given into its file panel, which shows the home only, and puts a README
into an empty home. It runs on the Python of any image, so it needs nothing of the platform.
"""

from __future__ import annotations  # for images with an older Python

import contextlib
import os
from pathlib import Path

GIVEN = {
    "data": "BERTH_DATA_DIR",
    "volumes": "BERTH_VOLUMES_DIR",
    "inputs": "BERTH_INPUTS_DIR",
}
"""Name in the home, and the variable that says where the folder is."""
README = {
    "en": """# Your home

What you save here is kept: the same folder is in each of your notebooks and jobs that has the home.
The rest of the notebook's files are those of its image, and are gone when it stops.

| folder | what it is |
| --- | --- |
| `data` | the data sets that the notebook was given, to read; in programs `$BERTH_DATA_DIR` |
| `volumes` | the volumes of your group; in programs `$BERTH_VOLUMES_DIR` |
| `inputs` | outputs of earlier jobs, to read; in programs `$BERTH_INPUTS_DIR` |

**Run as job** in the toolbar of a notebook starts it as a job on GPUs of its own, so that this
notebook need not stay open. The line at the bottom says what the notebook uses and when it ends.

You may delete this file; it does not come back while anything else is here.
""",
    "zh": """# 您的主目录

保存在这里的内容会一直保留：您的每个挂载主目录的 Notebook 和任务看到的都是同一个文件夹。
Notebook 的其余文件来自镜像，停止后不保留。

| 文件夹 | 内容 |
| --- | --- |
| `data` | 为该 Notebook 选择的数据集，只读；程序中为 `$BERTH_DATA_DIR` |
| `volumes` | 您所在组的存储卷；程序中为 `$BERTH_VOLUMES_DIR` |
| `inputs` | 先前任务的输出，只读；程序中为 `$BERTH_INPUTS_DIR` |

Notebook 工具栏中的 **作为任务运行** 会把它提交为任务，在单独的 GPU 上运行，无需一直开着本 Notebook。
底部的状态行显示本 Notebook 的资源用量和结束时间。

可以删除本文件；只要主目录中还有其他内容，它就不会再次出现。
""",
}


def prepare_home(home: Path) -> None:
    """Link the folders that are there, and write the README if nothing but those links is visible."""
    links = {
        link
        for name, variable in GIVEN.items()
        if (link := _link(home, name, os.environ.get(variable, "")))
    }
    visible = {item for item in home.iterdir() if not item.name.startswith(".")}
    if not visible - links:
        language = "zh" if os.environ.get("LANGUAGE", "").startswith("zh") else "en"
        (home / "README.md").write_text(README[language], encoding="utf-8")


def _link(home: Path, name: str, folder: str) -> Path | None:
    """Return the link to a folder, made if it is not there yet; None if there is no such folder.

    What else has the name stays: a file of the owner, or the link of another notebook in this home.
    """
    if not folder or not Path(folder).is_dir():
        return None
    for link in (home / name, home / f"{name}-{os.environ.get('BERTH_NAME', '')}"):
        if link.is_symlink() and not link.exists():
            link.unlink()  # of a notebook that is gone
        if not os.path.lexists(link):
            link.symlink_to(folder)
        if link.is_symlink() and str(link.readlink()) == folder:
            return link
    return None


with contextlib.suppress(
    OSError
):  # a full or read-only home must not keep the notebook from starting
    prepare_home(Path.home())
