"""Notebooks speak the language in which their owners read the pages."""

import pytest

from portal.common.work_kinds import JOB, NOTEBOOK
from portal.identity.services import remember_language
from tests.builders.scenes import a_scene

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("kind", "read_in", "wanted"),
    [
        (NOTEBOOK.kind, "zh-CN", {"LANGUAGE": "zh_CN"}),
        (NOTEBOOK.kind, "en", {"LANGUAGE": "en"}),
        (NOTEBOOK.kind, "", {}),
        (JOB.kind, "zh-CN", {}),
    ],
)
def test_a_notebook_is_told_the_language_of_its_owner(
    kind: str, read_in: str, wanted: dict[str, str]
) -> None:
    scene = a_scene()
    remember_language(scene.owner, read_in)
    scene.place(scene.work(kind=kind))
    (desired,) = scene.links[0].beat().containers
    assert desired.spec.env == wanted


def test_an_owner_may_choose_another_for_one_notebook() -> None:
    scene = a_scene()
    remember_language(scene.owner, "zh-CN")
    scene.place(scene.work(kind=NOTEBOOK.kind, spec={"env": {"LANGUAGE": "en"}}))
    (desired,) = scene.links[0].beat().containers
    assert desired.spec.env == {"LANGUAGE": "en"}
