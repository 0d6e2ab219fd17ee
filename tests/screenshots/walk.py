"""The pictures of `docs/users`, taken while somebody walks through its pages, in containers."""

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PIL import Image
from playwright.sync_api import Page, expect

from deploy.onebox.options import REPOSITORY
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, choose, press, run_cell, unfold
from tests.e2e.walking import SETTLE, see_arrived
from tests.e2e.words import filled
from tests.screenshots.scene import add_past_weeks

FOLDER: Final = REPOSITORY / "docs" / "img" / "walk"
WIDTH: Final = 1440
HEIGHT: Final = 820
COLOURS: Final = 128
"""Of a picture's palette: pages have few, and a file a third of its size."""
COUNTED_MS: Final = 200_000
"""Usage is counted every minute."""
TAG: Final = "plants/loss"
TRAIN: Final = f"""import os, time
from tensorboard.summary import Writer

writer = Writer(os.environ["BERTH_OUTPUT_DIR"])
for step in range(1, 31):
    until = time.monotonic() + 0.3 + step / 30
    while time.monotonic() < until:  # stands for work
        loss = 1.6 / step ** 0.7 + 0.04 * (step % 3)
    print(f"@metrics step={{step}} loss={{loss:.3f}} accuracy={{1 - loss / 2:.3f}}", flush=True)
    writer.add_scalar("{TAG}", loss, step)
writer.close()
"""
FILES: Final = {
    "train.py": TRAIN,
    "plants.csv": "kind,length_cm\nfern,12.5\nmoss,3.5\nivy,8.0\n",
    "notes.md": "# Plants\n\n1. Look at the data.\n2. Train.\n",
}
LOOK: Final = 'print(open("plants/plants.csv").read().count("\\n"), "lines")'
LOOKED: Final = "4 lines"


def take_walk(someone: Person, username: str) -> None:
    """Live the first days of a developer, and keep what each page of the walk looks like."""
    page = someone.page
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    _sign_in(someone, username)
    _bring_files(someone)
    notebook = _develop(someone)
    job = _train(someone, notebook)
    _ask_for_ranks(someone)
    _wait(someone)
    _save_image(someone, notebook)
    _share(someone, notebook)
    _open_app(someone, job)
    _look_at_usage(someone)
    someone.call("POST", f"environments/{notebook}/stop")


def _sign_in(someone: Person, username: str) -> None:
    page = someone.page
    page.goto(someone.platform.url)
    page.get_by_role("textbox", name=someone.words.username).fill(username)
    _take(someone, "sign-in")
    someone.sign_in(username)
    _take(someone, "overview")


def _bring_files(someone: Person) -> None:
    page = someone.page
    page.goto(f"{someone.platform.url}/files")
    with TemporaryDirectory() as folder:
        plants = Path(folder) / "plants"
        plants.mkdir()
        for name, text in FILES.items():
            (plants / name).write_text(text)
        page.get_by_test_id("upload-folder").set_input_files(plants)
        page.get_by_role("button", name="plants", exact=True).click()
        for name in FILES:
            expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    _take(someone, "files", height=640)


def _develop(someone: Person) -> str:
    """Make a notebook and run a cell in it; return its id."""
    page, words = someone.page, someone.words
    page.goto(f"{someone.platform.url}/notebooks/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill("plants")
    expect(page.get_by_test_id("start-preview")).to_have_attribute("data-verdict", "starts_now")
    _take(someone, "notebook-form")
    press(page, words.create_notebook)
    someone.sees_state("running")
    lab = someone.open_notebook()
    lab.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    run_cell(lab, LOOK, LOOKED)
    expect(lab.locator("a.berth-status")).to_contain_text("GPU")  # once it is measured
    _keep(lab, someone, "jupyterlab")
    lab.close()
    return page.url.rpartition("/")[2]


def _train(someone: Person, notebook: str) -> str:
    """Run the uploaded program as a job of the notebook's settings; return its id."""
    page, words = someone.page, someone.words
    page.goto(f"{someone.platform.url}/jobs/new?notebook={notebook}&file=plants/train.py")
    page.get_by_role("textbox", name=words.name, exact=True).fill("plants-train")
    expect(page.get_by_text("plants/train.py", exact=True).first).to_be_visible()
    expect(page.get_by_test_id("start-preview")).to_have_attribute("data-verdict", "starts_now")
    _take(someone, "job-form", height=1000)
    press(page, words.submit_job)
    someone.sees_state("succeeded")
    _take(someone, "log")
    tabs = words.texts("features/jobs")["tab"]
    page.get_by_role("tab", name=tabs["metrics"], exact=True).click()
    _expect_charts(page)
    _take(someone, "metrics", height=760)
    page.get_by_role("tab", name=tabs["usage"], exact=True).click()
    _expect_charts(page)
    _take(someone, "charts")
    return page.url.rpartition("/")[2].partition("?")[0]


def _ask_for_ranks(someone: Person) -> None:
    page, said = someone.page, someone.words.texts("features/jobs")["form"]
    page.goto(f"{someone.platform.url}/jobs/new")
    page.get_by_role("textbox", name=someone.words.name, exact=True).fill("plants-wide")
    page.get_by_role("textbox", name=someone.words.script, exact=True).fill("python train.py")
    unfold(page, said["ranks"])
    ranks = page.get_by_role("spinbutton", name=said["ranks"], exact=True)
    ranks.fill("2")
    choose(page, said["launcher"], "torchrun")
    expect(page.get_by_test_id("start-preview")).to_have_attribute("data-verdict", "starts_now")
    see_arrived(someone)
    ranks.evaluate("field => field.scrollIntoView({ block: 'center' })")
    _keep(page, someone, "ranks")


def _wait(someone: Person) -> None:
    """Have a colleague's pipeline hold what the group may have, and wait behind it."""
    page = someone.page
    robot = Pipeline(someone.platform.url, someone.platform.demo["robot_token"])
    holder = robot.started("detector-night", "sleep 7200", gpus=4, time_limit_s=7200)
    robot.wait(holder, "running")
    asked_for = {"group": "vision", "image": "python", "cpu_milli": 1000, "memory_mib": 512}
    job = {**asked_for, "name": "plants-large", "script": "sleep 60", "gpus": 4, "replicas": 1}
    waiting = someone.call("POST", "jobs", job)["id"]
    page.goto(f"{someone.platform.url}/jobs/{waiting}")
    expect(page.get_by_test_id("holders")).to_contain_text("detector-night")
    expect(page.get_by_test_id("ways-out").locator("li").first).to_be_visible()
    _take(someone, "waiting")
    someone.call("POST", f"jobs/{waiting}/cancel")
    robot.cancel(holder)
    robot.wait(holder)


def _save_image(someone: Person, notebook: str) -> None:
    page, said = someone.page, someone.words.texts("features/images")
    page.goto(f"{someone.platform.url}/notebooks/{notebook}")
    _expect_charts(page)
    _take(someone, "notebook", height=900)  # it runs for a while by now: its charts have lines
    _open_access(someone)
    press(page, said["save"]["open"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name=said["name"], exact=True).fill("plants-tools")
    dialog.get_by_role("textbox", name=said["saved"]["note"], exact=True).fill("pandas, seaborn")
    _take(someone, "save-image")
    press(dialog, said["save"]["action"])
    expect(dialog).to_be_hidden()
    name = f"{someone.call('GET', 'me')['username']}/plants-tools"
    expect(page.get_by_text(filled(said["save"]["done"], name=name))).to_be_visible()
    page.goto(f"{someone.platform.url}/images")
    expect(page.get_by_role("row", name=name)).to_be_visible()
    _take(someone, "saved-images", height=700)


def _open_access(someone: Person) -> None:
    access = someone.words.texts("features/notebooks")["tab"]["access"]
    someone.page.get_by_role("tab", name=access, exact=True).click()


def _share(someone: Person, notebook: str) -> None:
    page, said = someone.page, someone.words.texts("shared/sharing")
    page.goto(f"{someone.platform.url}/notebooks/{notebook}")
    _open_access(someone)
    press(page, said["share"])
    expect(page.get_by_role("dialog")).to_be_visible()
    _take(someone, "share")
    page.keyboard.press("Escape")


def _open_app(someone: Person, job: str) -> None:
    page = someone.page
    page.goto(f"{someone.platform.url}/jobs/{job}")
    with page.expect_popup() as popup:
        press(page, "TensorBoard")
    board = popup.value
    board.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    expect(board).to_have_title("TensorBoard")
    expect(board.get_by_text(TAG).first).to_be_visible()
    _keep(board, someone, "tensorboard")
    board.close()
    page.goto(f"{someone.platform.url}/apps")
    row = page.get_by_role("row").filter(has_text="tensorboard-plants-train")
    close = row.get_by_role("button", name=someone.words.texts("features/apps")["close"])
    expect(close).to_be_visible()
    _take(someone, "apps", height=520)
    close.click()
    expect(row).to_have_count(0)


def _look_at_usage(someone: Person) -> None:
    page, said = someone.page, someone.words.texts("features/usage")
    page.goto(f"{someone.platform.url}/usage?period=days30&by=model")
    counted = page.get_by_role("table", name=said["table"]).get_by_role("row").nth(1)
    expect(counted).to_be_visible(timeout=COUNTED_MS)
    add_past_weeks(someone.platform, someone.call("GET", "me")["id"])
    page.reload()
    expect(counted).to_be_visible()
    _take(someone, "usage", height=1000)


def _expect_charts(page: Page) -> None:
    """See a line drawn."""
    expect(page.locator("main canvas").first).to_be_visible()


def _take(someone: Person, name: str, *, height: int = HEIGHT) -> None:
    page = someone.page
    page.set_viewport_size({"width": WIDTH, "height": height})
    see_arrived(someone)
    _keep(page, someone, name)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def _keep(page: Page, someone: Person, name: str) -> None:
    """Write what the tab shows, with a palette."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.evaluate(SETTLE)
    with Image.open(BytesIO(page.screenshot())) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(FOLDER / f"{name}.{someone.words.language}.png", optimize=True)
