import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Pool, Template } from "@/shared/api/types";
import { SubmissionStart } from "@/shared/submission/components/start-from";
import { aMe, anImage, aPage, aPool, aWorkload } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import type { JobOrigin } from "../model/resubmission";
import { jobFormLike } from "../model/resubmission";
import { JobForm } from "./job-form";

const { limits } = aPool();
const choices = {
  groups: [{ id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" }],
  pools: [aPool({ mode: "exclusive", slices_per_card: 1, limits: { ...limits, gpus_max: 8 } })],
  images: [anImage()],
  group: "vision",
} as const;
const CREATE = "POST /api/v1/jobs";
const bare = { gpus: 0, cpu_milli: 250, memory_mib: 256 };

function aTemplate(terms: Partial<Template>): Template {
  return {
    settings: {},
    locked: [],
    ranges: {},
    id: "t1",
    kind: "training",
    scope: "user",
    group: null,
    name: "Small",
    description: "",
    version: 1,
    changed_at: "2026-01-01T00:00:00Z",
    changed_by: null,
    may_change: false,
    ...terms,
  };
}

/** The form as its page opens it at this address. */
function open(
  origin: JobOrigin,
  routes: Record<string, unknown> = {},
  pools: readonly [Pool, ...Pool[]] = choices.pools,
) {
  const offered = { ...choices, pools };
  const asked = serve({
    "GET /api/v1/job-templates": aPage([]),
    "GET /api/v1/workloads": aPage([]),
    "GET /api/v1/nodes": aPage([]),
    [CREATE]: aWorkload(),
    ...routes,
  });
  const { from, notebook } = origin;
  const work = notebook
    ? ({ kind: "environment", id: notebook } as const)
    : from && ({ kind: "training", id: from } as const);
  renderPart(
    <SubmissionStart
      title="Submit a job"
      kind="training"
      origin={origin}
      work={work || undefined}
      onChoose={() => {}}
    >
      {(body) => (
        <JobForm {...offered} again={jobFormLike(body, origin, offered)} onSubmitted={() => {}} />
      )}
    </SubmissionStart>,
    aMe(),
  );
  const submit = async () => {
    await userEvent.click(await screen.findByText("Submit job"));
  };
  const sent = async () => {
    await submit();
    await waitFor(() => expect(asked.some(({ route }) => route === CREATE)).toBe(true));
    return asked.find(({ route }) => route === CREATE)?.body;
  };
  return { submit, sent };
}

const ofTemplate = (terms: Partial<Template>) => ({
  "GET /api/v1/job-templates/t1": aTemplate(terms),
});
const noGpu = () => screen.findByRole<HTMLInputElement>("switch", { name: "No GPU" });

it("submits a job without a GPU again as it was", async () => {
  const body = { name: "sort", group: "vision", pool: "development", image: "python", ...bare };
  const { sent } = open({ from: "7" }, { "GET /api/v1/jobs/7/manifest": body });
  expect((await noGpu()).ariaChecked).toBe("true");
  expect(await sent()).toMatchObject(bare);
});

it("begins with no GPU where the template does", async () => {
  const { sent } = open({ template: "t1" }, ofTemplate({ settings: bare }));
  expect(await sent()).toMatchObject({ ...bare, template: "t1" });
});

it("takes the GPU of a template away, and the choice of one with it", async () => {
  const settings = { gpus: 2, gpu_models: ["A100"] };
  const { sent } = open({ template: "t1" }, ofTemplate({ settings }));
  await userEvent.click(await noGpu());
  expect(await sent()).toMatchObject({ gpus: 0, gpu_models: null });
});

it("shows that a template locks work without a GPU, and leaves it to the server", async () => {
  const { sent } = open({ template: "t1" }, ofTemplate({ settings: bare, locked: ["gpus"] }));
  expect((await noGpu()).ariaChecked).toBe("true");
  expect((await noGpu()).disabled).toBe(true);
  expect(screen.queryByRole("spinbutton", { name: "GPUs" })).toBeNull();
  expect(await sent()).not.toHaveProperty("gpus");
});

it.each([
  { settings: { gpus: 2 }, ranges: { gpus: { min: 1, max: 4 } } },
  { settings: { gpu_models: ["A100"] }, locked: ["gpu_models"] },
])("offers no work without a GPU where the template wants one: %j", async (terms) => {
  open({ template: "t1" }, ofTemplate(terms));
  expect((await noGpu()).disabled).toBe(true);
});

it("keeps memory below 1 GiB within the range of a template", async () => {
  const settings = { memory_mib: 512 };
  const ranges = { memory_mib: { min: 256, max: 768 } };
  const { submit, sent } = open({ template: "t1" }, ofTemplate({ settings, ranges }));
  const memory = await screen.findByRole("spinbutton", { name: "Memory (GiB)" });
  fireEvent.change(memory, { target: { value: "1" } });
  await submit();
  expect(await screen.findByText("Enter 0.25 to 0.75.")).toBeTruthy();
  fireEvent.change(memory, { target: { value: "0.25" } });
  expect(await sent()).toMatchObject({ memory_mib: 256 });
});

it("begins with no GPU where a rule says so", async () => {
  const rule = { field: "gpus", default: 0, is_locked: false, is_required: false };
  const open_ = { min: null, max: null, choices: null, sources: [] };
  const { sent } = open({}, { "GET /api/v1/job-rules": [{ ...rule, ...open_ }] });
  await waitFor(async () => expect((await noGpu()).ariaChecked).toBe("true"));
  expect(await sent()).toMatchObject({ gpus: 0 });
});

const HOME = "/api/v1/volumes/home-1/files";
const at = (name: string, kind: string, day: number) => {
  return { name, kind, size: 1, modified_at: `2026-03-0${day}T09:00:00Z` };
};
const NOTEBOOK = {
  "GET /api/v1/environments/7/manifest": { group: "vision", image: "python", ...bare },
  "POST /api/v1/volumes/home": { id: "home-1" },
  [`GET ${HOME}`]: ({ url }: { url: string }) => ({
    entries: url.includes("path=lab")
      ? [at("study.ipynb", "file", 3), at("data.csv", "file", 4)]
      : [at("lab", "folder", 5), at(".cache", "folder", 6), at("train.py", "file", 2)],
  }),
};

it("asks which file of the home to run after a notebook, and runs the chosen one", async () => {
  const { submit, sent } = open({ notebook: "7" }, NOTEBOOK);
  const file = await screen.findByLabelText("File to run");
  await submit();
  expect(await screen.findByText("Enter what to run.")).toBeTruthy();
  await userEvent.click(file);
  const options = await screen.findAllByTitle(/\.\w+$/);
  expect(options.map(({ title }) => title)).toEqual(["lab/study.ipynb", "train.py"]);
  await userEvent.click(screen.getByTitle("train.py"));
  expect(await sent()).toMatchObject({
    ...bare,
    name: expect.stringMatching(/^train-\d{4}-\d{4}$/),
    script: expect.stringMatching(/^cd "\$HOME"\nfile='train\.py'\n/),
  });
});

it("says where a program belongs that is too long for a script", async () => {
  const { submit } = open({});
  const script = await screen.findByRole("textbox", { name: "Script" });
  fireEvent.change(script, { target: { value: "x".repeat(65_537) } });
  await submit();
  expect(await screen.findByText(/^The script is too long: 64 KiB at most\. /)).toBeTruthy();
});

it("names at the button what is to be corrected, leads to it, and unfolds it", async () => {
  const { submit } = open({});
  const name = await screen.findByRole("textbox", { name: "Name" });
  await userEvent.clear(name);
  const ranks = screen.getByRole("spinbutton", { name: "Ranks" });
  await userEvent.clear(ranks);
  await submit();
  const faults = within(await screen.findByText(/^2 fields to correct:/));
  await userEvent.click(faults.getByRole("button", { name: "Ranks" }));
  expect(ranks.closest("details")?.open).toBe(true);
  await waitFor(() => expect(document.activeElement).toBe(ranks));
  await userEvent.click(faults.getByRole("button", { name: "Name" }));
  await waitFor(() => expect(document.activeElement).toBe(name));
  await userEvent.type(name, "sort");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Name" })).toBeNull());
});

it("opens the fold of a field that the server refuses", async () => {
  const errors = [{ pointer: "/restart", code: "invalid", detail: "Not with this launcher." }];
  const { submit } = open({}, { [CREATE]: () => problem(422, "invalid", { errors }) });
  await submit();
  const pause = await screen.findByRole("spinbutton", { name: "Back-off (minutes)" });
  await waitFor(() => expect(pause.closest("details")?.open).toBe(true));
});

it("names a job after what it runs until it is given a name", async () => {
  const { sent } = open({});
  const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });
  expect(name.value).toMatch(/^job-\d{4}-\d{4}$/);
  const script = screen.getByRole("textbox", { name: "Script" });
  fireEvent.change(script, { target: { value: "python3 lab/finetune.py --epochs 3" } });
  await waitFor(() => expect(name.value).toMatch(/^finetune-\d{4}-\d{4}$/));
  await userEvent.clear(name);
  await userEvent.type(name, "mine");
  fireEvent.change(script, { target: { value: "python3 other.py" } });
  expect(await sent()).toMatchObject({ name: "mine", script: "python3 other.py" });
});

it("goes on from a file as the script that runs it", async () => {
  const { sent } = open({ notebook: "7", file: "lab/train.py" }, NOTEBOOK);
  await userEvent.click(await screen.findByText("Script"));
  const script = await screen.findByRole<HTMLInputElement>("textbox", { name: "Script" });
  expect(script.value).toContain("file='lab/train.py'");
  expect(await sent()).toMatchObject({ script: script.value });
});

const SLICES = { group: "vision", pool: "development", image: "python", slices: 1 };

/** The form after a notebook on a slice, on a site that has whole GPUs, too. */
function afterNotebook() {
  const whole = { mode: "exclusive", slices_per_card: 1 } as const;
  const training = aPool({
    ...whole,
    id: "pool-2",
    name: "training",
    title_en: "Training",
    limits: { ...limits, gpus_max: 8, replicas_max: 4 },
    capacity: { ...aPool().capacity, gpus_total: 16, gpus_free: 12, largest_free: 7 },
  });
  const pools = [training, aPool()] as const;
  const manifest = { ...SLICES, cpu_milli: 2000, memory_mib: 8192 };
  return open({ notebook: "7", file: "train.py" }, { ...NOTEBOOK, ...withBody(manifest) }, pools);
}
const withBody = (body: object) => ({ "GET /api/v1/environments/7/manifest": body });

it("begins with the size of the notebook, and changes cores and memory with it", async () => {
  const { sent } = afterNotebook();
  const slice = await screen.findByRole<HTMLInputElement>("radio", { name: /^1 slice/ });
  expect(slice.checked).toBe(true);
  await userEvent.click(screen.getByRole("radio", { name: /^4 GPUs\s*Training · 12 free now/ }));
  await waitFor(() => expect(slice.checked).toBe(false));
  await screen.findByText("Training · 4 GPUs · 16 cores · 64.0 GiB");
  const body = await sent();
  const host = { cpu_milli: 16_000, memory_mib: 65_536, replicas: 1 };
  expect(body).toMatchObject({ pool: "training", gpus: 4, ...host });
  expect(body).not.toHaveProperty("slices");
});

it("says of what size too little is free, and spreads over nodes", async () => {
  const { sent } = afterNotebook();
  await screen.findByRole("radio", { name: /^8 GPUs\s*Training · At most 7 on one node now/ });
  await userEvent.click(screen.getByRole("radio", { name: /^8 GPUs × 2 nodes/ }));
  await screen.findByText(/^Training · 8 GPUs × 2 ranks/);
  expect(await sent()).toMatchObject({ gpus: 8, replicas: 2, cpu_milli: 32_000 });
});

it("carries no size of a slice to whole GPUs where the pool is chosen by itself", async () => {
  afterNotebook();
  await userEvent.click(await screen.findByRole("combobox", { name: "Pool" }));
  await userEvent.click(await screen.findByTitle("Training"));
  await screen.findByText("Training · 1 GPU · 4 cores · 16.0 GiB");
});
