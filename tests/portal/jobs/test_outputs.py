import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from portal.common.errors import NotFoundError
from portal.common.ids import new_id
from portal.jobs.outputs import FILES_MAX, list_outputs, open_output
from portal.workloads.output_folders import outputs_folder
from tests.builders.scenes import a_scene
from tests.rest import API, browser, json_of, problem_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a job's folder beside a file that is not the job's."""
    (tmp_path / "outputs").mkdir()
    (tmp_path / "secret.txt").write_text("not yours")
    found = outputs_folder(tmp_path, new_id())
    found.mkdir()
    (found / "model").mkdir()
    (found / "model" / "weights.pt").write_bytes(b"12345")
    (found / "log.txt").write_text("done")
    return found


def test_files_are_listed_by_path_and_read(folder: Path) -> None:
    assert [(file.path, file.size) for file in list_outputs(folder)] == [
        ("log.txt", 4),
        ("model/weights.pt", 5),
    ]
    file, size = open_output(folder, "model/weights.pt")
    with file:
        assert (file.read(), size) == (b"12345", 5)


def test_missing_folder_is_empty(tmp_path: Path) -> None:
    assert list_outputs(tmp_path / "nothing") == []
    with pytest.raises(NotFoundError):
        open_output(tmp_path / "nothing", "log.txt")


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "../secret.txt",
        "../../secret.txt",
        "model/../../../secret.txt",
        "model/../log.txt",
        "/etc/passwd",
        "//etc/passwd",
        "log.txt/",
        "log.txt/x",
        "model",
        "model//weights.pt",
        "./log.txt",
        "log.txt\x00",
        "..\\secret.txt",
        "%2e%2e/secret.txt",
        "a" * 300,
        "a/" * 600 + "b",
        "\udcff",
    ],
)
def test_path_that_is_not_a_file_inside_does_not_exist(folder: Path, path: str) -> None:
    with pytest.raises(NotFoundError):
        open_output(folder, path)


def test_links_are_neither_listed_nor_followed(folder: Path) -> None:
    (folder / "file").symlink_to(folder.parent.parent / "secret.txt")
    (folder / "folder").symlink_to(folder.parent.parent)
    (folder / "model" / "up").symlink_to("../../..")
    (folder / "inside").symlink_to("log.txt")

    assert [file.path for file in list_outputs(folder)] == ["log.txt", "model/weights.pt"]
    for path in ("file", "folder/secret.txt", "model/up/secret.txt", "inside"):
        with pytest.raises(NotFoundError):
            open_output(folder, path)


def test_folder_that_was_replaced_by_a_link_is_not_entered(folder: Path) -> None:
    moved = folder.rename(folder.with_name("moved"))
    folder.symlink_to(moved)

    assert list_outputs(folder) == []
    with pytest.raises(NotFoundError):
        open_output(folder, "log.txt")


def test_pipes_and_sockets_do_not_hold_the_portal_up(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    assert "pipe" not in {file.path for file in list_outputs(folder)}
    with pytest.raises(NotFoundError):
        open_output(folder, "pipe")


def test_name_that_is_no_text_is_left_out(folder: Path) -> None:
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe"))).write_bytes(b"x")

    assert [file.path for file in list_outputs(folder)] == ["log.txt", "model/weights.pt"]


def test_listing_is_bounded(folder: Path) -> None:
    for number in range(FILES_MAX + 5):
        (folder / f"{number}.txt").touch()

    assert len(list_outputs(folder)) == FILES_MAX


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
def test_outputs_over_http(tmp_path: Path, set_site: Callable[..., None]) -> None:
    set_site(storage_dir=tmp_path)
    scene = a_scene()
    job = scene.work()
    folder = outputs_folder(tmp_path, job.pk)
    folder.mkdir(parents=True)
    (folder / "报告 1.html").write_text("<script>alert(1)</script>")
    (tmp_path / "outputs" / "secret").write_text("not yours")
    client, url = browser(scene.owner), f"{API}/jobs/{job.pk}/outputs"

    (listed,) = json_of(client.get(url))
    answer = client.get(f"{url}/{quote(listed['path'])}")

    assert (listed["path"], listed["size"]) == ("报告 1.html", 25)
    assert answer.getvalue() == b"<script>alert(1)</script>"
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    for path in ("../secret", "..%2fsecret", "%2e%2e/secret", "/etc/passwd", "%00", "nothing"):
        problem_of(client.get(f"{url}/{path}"), 404, "not_found")


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
def test_outputs_of_another_group_do_not_exist(
    tmp_path: Path, set_site: Callable[..., None]
) -> None:
    set_site(storage_dir=tmp_path)
    theirs, own = a_scene(), a_scene()
    job, mine = theirs.work(), own.work()
    for each in (job, mine):
        folder = outputs_folder(tmp_path, each.pk)
        folder.mkdir(parents=True)
        (folder / "model.pt").write_text("weights")
    client, url = browser(own.owner), f"{API}/jobs"

    assert client.get(f"{url}/{mine.pk}/outputs/model.pt").getvalue() == b"weights"
    for rest in (
        f"{job.pk}/outputs",
        f"{job.pk}/outputs/model.pt",
        f"{mine.pk}/outputs/../{job.pk}/model.pt",
        f"{mine.pk}/outputs/..%2f{job.pk}%2fmodel.pt",
    ):
        problem_of(client.get(f"{url}/{rest}"), 404, "not_found")
