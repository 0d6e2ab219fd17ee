"""The engine's reports of layers become one percentage that never lies above what has come."""

from nodeagent.docker.images.pull import PullProgress


def heard(*reports: tuple[str, str, int, int]) -> PullProgress:
    progress = PullProgress()
    for name, status, current, total in reports:
        detail = {"current": current, "total": total} if total else {}
        progress.add_report({"id": name, "status": status, "progressDetail": detail})
    return progress


def test_nothing_is_known_before_the_first_size() -> None:
    assert heard(("a", "Pulling fs layer", 0, 0)).percent == 0


def test_layers_count_by_their_size_and_unpacking_counts_too() -> None:
    progress = heard(("a", "Downloading", 300, 300), ("b", "Downloading", 0, 100))
    assert progress.percent == 52
    progress.add_report({"id": "a", "status": "Pull complete"})
    assert progress.percent == 75
    progress.add_report({"id": "b", "status": "Pull complete"})
    assert progress.percent == 100


def test_layer_that_is_already_here_is_done() -> None:
    assert heard(("a", "Already exists", 0, 0)).percent == 100


def test_other_lines_are_no_layers() -> None:
    progress = heard(("1.2", "Pulling from library/x", 0, 0))
    progress.add_report({"status": "Digest: sha256:1"})
    assert progress.layers == {}


def test_total_is_what_travels() -> None:
    assert heard(("a", "Downloading", 1, 70), ("b", "Downloading", 1, 30)).total_bytes == 100
