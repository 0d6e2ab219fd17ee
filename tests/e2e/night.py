"""The story of the product, in steps: data and a notebook by day, a gang on its image by night.

Each step is done by the pages or by the API alone; what it leaves is looked for by the next.
"""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

from docker.models.containers import Container
from playwright.sync_api import expect

from tests.docker_engine import docker_engine
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, press
from tests.e2e.words import ENGLISH
from tests.event_files import TAG
from tests.waiting import PATIENCE_S, wait_until

STEPS: Final = 5
DATA: Final = "kind,length_cm\nfern,12.5\nmoss,3.5\n"
MODULE: Final = "WORD = 'installed in the notebook'"
INSTALL: Final = f"""
import pathlib, sysconfig
place = pathlib.Path(sysconfig.get_paths()["purelib"]) / "our_words.py"
place.write_text({MODULE!r})
print(len((pathlib.Path.home() / "story" / "plants.csv").read_text()))
"""
"""What a developer does by hand: looks at the data, and installs what is missing."""
TRAIN: Final = f"""
import os, pathlib
from tensorboard.summary import Writer
import our_words

rank, out = os.environ["RANK"], pathlib.Path(os.environ["BERTH_OUTPUT_DIR"])
home = pathlib.Path.home()
rows = (home / "story" / "plants.csv").read_text().splitlines()
(out / f"{{rank}}.txt").write_text(f"{{our_words.WORD}}: {{len(rows)}} rows")
(home / "story" / f"seen-{{rank}}.txt").write_text(os.environ["BERTH_NODE"])
writer = Writer(str(out))
for step in range(1, {STEPS} + 1):
    print(f"@metrics step={{step}} loss={{1 / step}}", flush=True)
    writer.add_scalar("{TAG}", 1 / step, step)
writer.close()
"""
RUN: Final = 'python "$HOME/story/train.py"'
USE: Final = 'cat /inputs/*/0.txt > "$BERTH_OUTPUT_DIR/last.txt"; ! touch /inputs/*/x'
LEARNT: Final = "installed in the notebook: 3 rows"
SECRET: Final = "canary-7fe2-secret"
SCOPES: Final = (
    *("workload.view", "workload.submit", "workload.stop", "workload.open"),
    *("image.view", "image.save"),
    *("volume.view", "volume.manage", "volume.read", "volume.write", "secret.manage"),
)
SMALL: Final = {"group": "vision", "cpu_milli": 1000, "memory_mib": 1024}


@contextmanager
def container_of(workload: str) -> Iterator[Container]:
    """Provide the container of work that has one, as the engine shows it."""
    label = f"berth.allocation={workload.replace('-', '')}.0"
    with docker_engine() as engine, engine.client(timeout_s=600) as client:
        (found,) = client.containers.list(filters={"label": label})
        yield found


def upload(me: Person, folder: Path) -> None:
    """Upload a folder with data and programs to one's home, on its page."""
    story = folder / "story"
    story.mkdir()
    for name, text in (("plants.csv", DATA), ("install.py", INSTALL), ("train.py", TRAIN)):
        (story / name).write_text(text)
    me.page.goto(f"{me.platform.url}/files")
    me.page.get_by_test_id("upload-folder").set_input_files(story)
    me.page.get_by_role("button", name="story", exact=True).click()
    expect(me.page.get_by_role("button", name="train.py", exact=True)).to_be_visible()


def save_image(me: Person, name: str) -> None:
    """Save the notebook on whose page they are, and see it among the images."""
    page, said = me.page, ENGLISH.texts("features/images")
    access = ENGLISH.texts("features/notebooks")["tab"]["access"]
    page.get_by_role("tab", name=access, exact=True).click()
    press(page, said["save"]["open"])
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(said["save"]["keepsNot"])
    dialog.get_by_role("textbox", name=said["name"], exact=True).fill(name)
    dialog.get_by_role("textbox", name=said["saved"]["note"], exact=True).fill("what I need")
    press(dialog, said["save"]["action"])
    expect(dialog).to_be_hidden()
    done = page.get_by_text(said["save"]["done"].replace("{{name}}", f"wang.fang/{name}"))
    expect(done).to_be_visible(timeout=3_000 * PATIENCE_S)
    page.goto(f"{me.platform.url}/images")
    table = page.get_by_role("table", name=said["saved"]["title"], exact=True)
    expect(table.get_by_role("row", name=f"wang.fang/{name}")).to_contain_text("what I need")


def with_token(someone: Person) -> Pipeline:
    """Return the API as somebody's token opens it."""
    someone.sign_in("zhang.min")
    asked_for = {"name": "story", "scopes": SCOPES, "expires_in_days": 1}
    return Pipeline(someone.platform.url, someone.call("POST", "tokens", asked_for)["token"])


def develop(api: Pipeline) -> tuple[str, str]:
    """Install a module in a notebook that has a secret; return it and the token of its Jupyter."""
    asked(api, "POST", "/secrets", {"name": "hub", "value": SECRET})
    secret = {"name": "hub", "as": "env", "target": "HUB_TOKEN"}
    body = {**SMALL, "name": "by day", "image": "jupyter-python", "slices": 1}
    notebook = str(asked(api, "POST", "/environments", {**body, "secrets": [secret]})["id"])
    wait_until(lambda: api.get(f"/environments/{notebook}")["is_ready"], within_s=3 * PATIENCE_S)
    with container_of(notebook) as lab:
        code, output = lab.exec_run(["python", "-c", INSTALL])
        assert (code, output) == (0, f"{len(DATA)}\n".encode())
        variables = dict(line.partition("=")[::2] for line in lab.attrs["Config"]["Env"])
    return notebook, variables["JUPYTER_TOKEN"]


def save_by_api(api: Pipeline, notebook: str) -> dict[str, Any]:
    """Save the notebook as an image; return it, and by which save it came."""
    path = f"/environments/{notebook}/image-save"
    asked(api, "POST", path, {"name": "our-words"})
    wait_until(lambda: api.get(path)["latest"]["state"] == "saved", within_s=3 * PATIENCE_S)
    images = api.get("/saved-images")["results"]
    (image,) = (each for each in images if each["name"] == "zhang.min/our-words")
    return {**image, "save": api.get(path)["latest"]["id"]}


def train(api: Pipeline, image: str) -> tuple[str, set[str]]:
    """Train with two ranks on the image; return the job and the nodes that it ran on."""
    much = 300 * 1024  # more than half a node, so that each rank has one of its own
    gang = api.started("by night", RUN, image=image, replicas=2, memory_mib=much)
    done = api.wait(gang)
    assert (done["state"], done["exit_code"]) == ("succeeded", 0), done
    # They are read from the log, which may come after the end.
    wait_until(lambda: _low_step(api, gang) == STEPS)
    return gang, {item["node"]["name"] for item in done["allocations"]}


def _low_step(api: Pipeline, job: str) -> int | None:
    """Return at which step the loss was lowest, as far as it is known."""
    metrics = {each["name"]: each for each in api.get(f"/jobs/{job}/metrics")["metrics"]}
    return metrics["loss"]["low_step"] if "loss" in metrics else None


def look_at(api: Pipeline, job: str) -> None:
    """Open TensorBoard on a job: in a container that only reads, and that no address leads to."""
    shown = asked(api, "POST", "/app-sessions", {"app": "tensorboard", "job": job})["id"]
    wait_until(lambda: api.get(f"/app-sessions/{shown}")["is_ready"], within_s=3 * PATIENCE_S)
    with container_of(shown) as board:
        writable = {item["Destination"]: item["RW"] for item in board.attrs["Mounts"]}
        assert writable["/inputs/shown"] is False
        assert not board.attrs["HostConfig"]["PortBindings"]
    asked(api, "POST", f"/app-sessions/{shown}/close")


def asked(api: Pipeline, method: str, path: str, body: Any = None) -> Any:
    """Return the JSON of a call that must be accepted."""
    answer = api.call(method, path, body)
    assert answer.status < 300, answer
    return answer.body


def tus_upload(api: Pipeline, volume: str, path: str, text: str) -> None:
    """Upload a small file in one request."""
    headers = {
        "Authorization": f"Bearer {api.token}",
        "Tus-Resumable": "1.0.0",
        "Upload-Length": str(len(text.encode())),
        "Upload-Metadata": f"path {b64encode(path.encode()).decode()}",
        "Content-Type": "application/offset+octet-stream",
    }
    where = f"{api.url}/api/v1/volumes/{volume}/uploads"
    with urlopen(Request(where, text.encode(), headers, method="POST")) as answer:
        assert answer.status == 201
