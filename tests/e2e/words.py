"""What the pages say, by language: the names of docs/dev/ui-names.md, and the pages' own texts."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from deploy.onebox.options import REPOSITORY

if TYPE_CHECKING:  # the models need settings, which `make screenshots` has none of
    from portal.demo.organisation import Team


@dataclass(frozen=True, slots=True)
class Words:
    """Accessible names in one language."""

    language: str
    username: str
    password: str
    sign_in: str
    name: str
    create_notebook: str
    open: str
    start: str
    stop: str
    stop_notebook: str
    script: str
    submit_job: str
    waiting: str
    grace: str
    save_policy: str
    to_defaults: str
    take_way_out: str
    stop_other: str
    stop_confirm: str

    def title_of(self, team: "Team") -> str:
        """Return what a group of the demo is called."""
        return team.title_en if self.language == "en" else team.title_zh

    def texts(self, part: str) -> Any:
        """Return what a part of the pages says, such as `features/auth`."""
        return self._read(f"frontend/src/{part}")

    def portal_texts(self, part: str) -> Any:
        """Return what a part of the portal says, such as `gateway`."""
        return self._read(f"portal/{part}")

    def _read(self, folder: str) -> Any:
        file = REPOSITORY / folder / "locales" / f"{self.language}.json"
        return json.loads(file.read_text(encoding="utf-8"))


ENGLISH: Final = Words(
    language="en",
    username="Username",
    password="Password",
    sign_in="Sign in",
    name="Name",
    create_notebook="Create notebook",
    open="Open",
    start="Start",
    stop="Stop",
    stop_notebook="Stop notebook",
    script="Script",
    submit_job="Submit job",
    waiting="Waiting",
    grace="Grace period",
    save_policy="Save policy",
    to_defaults="Reset to defaults",
    take_way_out="Change it",
    stop_other="Stop",
    stop_confirm="Stop it",
)
CHINESE: Final = Words(
    language="zh-CN",
    username="用户名",
    password="密码",
    sign_in="登录",
    name="名称",
    create_notebook="创建 Notebook",
    open="打开",
    start="启动",
    stop="停止",
    stop_notebook="停止 Notebook",
    script="脚本",
    submit_job="提交任务",
    waiting="排队中",
    grace="宽限",
    save_policy="保存策略",
    to_defaults="恢复默认值",
    take_way_out="按此修改",
    stop_other="停止",
    stop_confirm="停止",
)


def _in(first: Words, second: Words) -> pytest.MarkDecorator:
    params = [pytest.param(first), pytest.param(second, marks=pytest.mark.long)]
    return pytest.mark.parametrize("words", params, ids=lambda words: words.language)


english_first = _in(ENGLISH, CHINESE)
"""A flow in both languages, the second by `make long`: `test_walk` looks at all pages in both."""
chinese_first = _in(CHINESE, ENGLISH)
"""As `english_first`, the other way round: half of the flows of `make test` are in Chinese."""


def filled(text: str, **params: object) -> str:
    """Return a text of the pages with its parameters."""
    for name, value in params.items():
        text = text.replace("{{" + name + "}}", str(value)).replace("{" + name + "}", str(value))
    return text
