import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { ImageSaving, WorkloadDetail } from "@/shared/api/types";
import { aMe, aPage, aWorkload } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { anImageSave } from "@/testing/images";
import { renderPart, speak } from "@/testing/render";
import { ImageSavePanel } from "./image-save-panel";
import { ImagesPage } from "./images-page";

const PATH = "/api/v1/environments/workload-1/image-save";

function show(saving: Partial<ImageSaving> = {}, fields: Partial<WorkloadDetail> = {}, more = {}) {
  const notebook = aWorkload({
    kind: "environment",
    name: "My Lab",
    state: "running",
    ...fields,
  });
  const found: ImageSaving = { blocker: null, size_mib_max: 51_200, latest: null, ...saving };
  const asked = serve({ [`GET ${PATH}`]: found, ...more });
  renderPart(<ImageSavePanel notebook={notebook} />, aMe());
  return asked;
}

function lastOf(found: HTMLElement[]): HTMLElement {
  return found[found.length - 1] as HTMLElement;
}

it("saves a notebook under a name, after it has said what is kept and what is not", async () => {
  const route = `POST ${PATH}`;
  const asked = show({}, {}, { [route]: anImageSave() });
  fireEvent.click(await screen.findByText("Save as image…"));
  expect(await screen.findByText(/^Kept: the file system of the container/)).toBeTruthy();
  expect(screen.getByText(/^Not kept: .*secrets and tokens/)).toBeTruthy();
  expect(screen.getByText("The whole image may take at most 50.0 GiB.")).toBeTruthy();
  expect((screen.getByLabelText("Name") as HTMLInputElement).value).toBe("my-lab");
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "torch-fixed" } });
  fireEvent.click(screen.getByLabelText(/^Everyone in/));
  fireEvent.click(screen.getByText("Save image", { selector: "button *" }));
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({
      name: "torch-fixed",
      note: "",
      is_shared: true,
    }),
  );
});

it("shows a name that is taken at its field", async () => {
  const taken = { pointer: "/name", code: "image_name_taken", detail: "It exists already." };
  show({}, {}, { [`POST ${PATH}`]: () => problem(409, "image_name_taken", { errors: [taken] }) });
  fireEvent.click(await screen.findByText("Save as image…"));
  fireEvent.click(await screen.findByText("Save image", { selector: "button *" }));
  expect(await screen.findByText("It exists already.")).toBeTruthy();
});

it("says why a notebook cannot be saved instead of offering it", async () => {
  show({ blocker: { code: "save_needs_registry", params: {} } });
  expect(await screen.findByText(/none is configured for this platform/)).toBeTruthy();
  expect(screen.queryByText("Save as image…")).toBeNull();
});

it("says how much space is taken in units of people", async () => {
  show({ blocker: { code: "saved_images_full", params: { used: 204_800, limit: 204_801 } } });
  expect(await screen.findByText(/take 200(\.0)? GiB of 200(\.0)? GiB\./)).toBeTruthy();
});

it("says it in Chinese, too", async () => {
  await speak("zh-CN");
  show({ blocker: { code: "save_needs_engine", params: {} } });
  expect(await screen.findByText(/没有容器引擎/)).toBeTruthy();
});

it("shows how far a push is, and cancels it", async () => {
  const under = { code: "save_under_way", params: {} };
  const latest = anImageSave({
    state: "pushing",
    done_bytes: 1024 ** 3,
    total_bytes: 4 * 1024 ** 3,
  });
  const route = `DELETE ${PATH}`;
  const asked = show({ blocker: under, latest }, {}, { [route]: anImageSave() });
  expect(await screen.findByText(/1(\.0)? GiB of 4(\.0)? GiB/)).toBeTruthy();
  expect(screen.getByRole<HTMLProgressElement>("progressbar").value).toBe(25);
  expect(screen.queryByText(/is being saved/)).toBeNull();
  fireEvent.click(screen.getByText("Cancel saving"));
  await screen.findByText(/The notebook is not affected/);
  fireEvent.click(lastOf(screen.getAllByText("Cancel saving", { selector: "button *" })));
  await waitFor(() => expect(asked.some((one) => one.route === route)).toBe(true));
});

it("offers what was saved at once, where images are chosen", async () => {
  const saving = { blocker: null, size_mib_max: 51_200 };
  const states = [anImageSave({ state: "pushing" }), anImageSave({ state: "saved" })];
  const asked = serve({
    [`GET ${PATH}`]: () => ({ ...saving, latest: states.length > 1 ? states.shift() : states[0] }),
    "GET /api/v1/images": aPage([]),
    "GET /api/v1/saved-images": aPage([]),
  });
  const notebook = aWorkload({ kind: "environment", state: "running" });
  renderPart(
    <>
      <ImageSavePanel notebook={notebook} />
      <ImagesPage />
    </>,
    aMe(),
  );
  const images = () => asked.filter(({ route }) => route === "GET /api/v1/images").length;
  await screen.findByText("Sending to the registry.");
  expect(images()).toBe(1);
  await waitFor(() => expect(images()).toBe(2), { timeout: 5_000 });
});

it("says that it was saved, and why it was not", async () => {
  const image = { id: "saved-1", name: "li.wei/fixed" };
  show({ latest: anImageSave({ state: "saved", image, ended_at: "2026-01-01T08:00:00Z" }) });
  expect(await screen.findByText("Saved as li.wei/fixed")).toBeTruthy();
});

it("puts a failure into words", async () => {
  show({ latest: anImageSave({ state: "failed", code: "disk_full", detail: "disk_full: 3" }) });
  expect(await screen.findByText("fixed was not saved")).toBeTruthy();
  expect(screen.getByText(/not enough space/)).toBeTruthy();
});

it("shows what the node said where a failure has no words of its own", async () => {
  show({ latest: anImageSave({ state: "failed", code: "odd", detail: "odd: words" }) });
  expect(await screen.findByText(/The node reported: odd: words/)).toBeTruthy();
});

it("is for the owner alone", async () => {
  const owner = { id: "user-2", username: "wang.fang", display_name: "Wang Fang" };
  const asked = show({}, { owner });
  await act(async () => {});
  expect(screen.queryByText("Save as image")).toBeNull();
  expect(asked).toEqual([]);
});
