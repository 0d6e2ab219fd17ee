import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Template } from "@/shared/api/types";
import { SubmissionStart } from "@/shared/submission/components/start-from";
import { aMe, anImage, aPage, aPool, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
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
function open(origin: JobOrigin, routes: Record<string, unknown> = {}) {
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
    <SubmissionStart kind="training" origin={origin} work={work || undefined} onChoose={() => {}}>
      {(body) => (
        <JobForm
          {...choices}
          again={jobFormLike(body, origin, choices)}
          file={origin.file}
          asksForFile={notebook !== undefined}
          onSubmitted={() => {}}
        />
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
    name: "train",
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

it("names at the button what is to be corrected, until it is", async () => {
  const { submit } = open({});
  const name = await screen.findByRole("textbox", { name: "Name" });
  await userEvent.clear(name);
  await submit();
  expect(await screen.findByText(/^\d fields? to correct: .*Name/)).toBeTruthy();
  await userEvent.type(name, "sort");
  await waitFor(() => expect(screen.queryByText(/to correct: .*Name/)).toBeNull());
});
