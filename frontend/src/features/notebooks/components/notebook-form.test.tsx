import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Pool } from "@/shared/api/types";
import { aGlimpse, aNode, anImage, aPage, aPool, aWorkload } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { notebookFormLike } from "../model/notebook";
import { NotebookForm } from "./notebook-form";

const DRY_RUN = "POST /api/v1/workloads/dry-run";
const CREATE = "POST /api/v1/environments";
const starts = {
  verdict: "starts_now",
  position: null,
  reasons: [],
  expected_start: null,
  stops: [],
  limits: [],
  ways_out: [],
  advice: null,
  placement: [],
};
const onFirstCard = {
  ...starts,
  placement: [{ node: aNode().name, cards: [{ id: "card-1", index: 0, model: "A", slots: [0] }] }],
};

const group = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" };
type Again = Parameters<typeof NotebookForm>[0]["again"];

function show(
  routes: Record<string, unknown>,
  pools: [Pool, ...Pool[]] = [aPool()],
  again?: Again,
) {
  const asked = serve({
    "GET /api/v1/pools": aPage(pools),
    "GET /api/v1/nodes": aPage([aNode()]),
    [DRY_RUN]: starts,
    ...routes,
  });
  const onCreated = vi.fn();
  renderPart(
    <NotebookForm
      groups={[group]}
      pools={pools}
      images={[anImage()]}
      group="vision"
      again={again}
      onCreated={onCreated}
    />,
  );
  return { asked, onCreated };
}

afterEach(() => void vi.useRealTimers());

describe("NotebookForm", () => {
  it("says at once that it would start, and where the scheduler would put it", async () => {
    show({ [DRY_RUN]: onFirstCard });
    expect(await screen.findByText("Starts now")).toBeTruthy();
    expect(await screen.findByText(/^Would be placed on .*, card 0, now\.$/)).toBeTruthy();
    expect(
      await screen.findByRole("img", { name: "Card 0: 7 free, 1 for this request" }),
    ).toBeTruthy();
  });

  it("claims no place that the scheduler has not named", async () => {
    show({});
    expect(await screen.findByText("Starts now")).toBeTruthy();
    expect(screen.queryByText(/Would be placed/)).toBeNull();
    expect(screen.queryByRole("img", { name: /for this request/ })).toBeNull();
  });

  it("reads no nodes for that on a site with hundreds of GPUs", async () => {
    const pool = aPool();
    const large = { ...pool, capacity: { ...pool.capacity, gpus_total: 2_400 } };
    const { asked } = show({ [DRY_RUN]: onFirstCard }, [large]);
    expect(await screen.findByText(/^Would be placed on /)).toBeTruthy();
    await waitFor(() => expect(asked.map(({ route }) => route)).toContain("GET /api/v1/pools"));
    expect(screen.queryByRole("img", { name: /for this request/ })).toBeNull();
    expect(asked.map(({ route }) => route)).not.toContain("GET /api/v1/nodes");
  });

  it("shows what rules fill in, lock and bound, and whose they are", async () => {
    const vision = {
      scope: "group",
      id: "g",
      name: "vision",
      title_en: "Vision",
      title_zh: "Vision",
    };
    const open = { is_locked: false, is_required: false, min: null, max: null, choices: null };
    const { asked } = show({
      "GET /api/v1/environment-rules": [
        { ...open, field: "cpu_milli", default: 3000, max: 6000, sources: [vision] },
        { ...open, field: "memory_mib", default: 8192, is_locked: true, sources: [vision] },
      ],
      [CREATE]: aWorkload(),
    });
    expect(await screen.findByText("At most 6: set by group Vision.")).toBeTruthy();
    expect(screen.getByText("Set by group Vision.")).toBeTruthy();
    const memory = screen.getByLabelText<HTMLInputElement>("Memory (GiB)");
    expect([memory.value, memory.disabled]).toEqual(["8", true]);
    expect(await screen.findByDisplayValue("3.0")).toBe(screen.getByLabelText("CPU cores"));

    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(asked.some(({ route }) => route === CREATE)).toBe(true));
    const body = asked.find(({ route }) => route === CREATE)?.body as Record<string, unknown>;
    expect(body.cpu_milli).toBe(3000);
    expect(body).not.toHaveProperty("memory_mib");
  });

  it("goes to the first field with a fault, of its own and of the server's", async () => {
    const errors = [{ pointer: "/memory_mib", code: "max_value", detail: "At most 4 GiB." }];
    show({ [CREATE]: () => problem(422, "invalid", { errors }) });
    const cores = await screen.findByLabelText("CPU cores");
    await userEvent.clear(cores);
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(document.activeElement).toBe(cores));
    await userEvent.type(cores, "2");
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    const memory = screen.getByLabelText("Memory (GiB)");
    await waitFor(() => expect(document.activeElement).toBe(memory));
    expect(screen.getAllByText(/At most 4 GiB/).length).toBeGreaterThan(0);
  });

  it("says why it would wait", async () => {
    const params = { resource: "slices", requested: 8, free: 9, largest: 6 };
    show({
      [DRY_RUN]: {
        ...starts,
        verdict: "waits",
        position: 2,
        reasons: [{ code: "fragmented", params }],
        stops: [{ work: aGlimpse({ name: "nightly" }), cause: "called_back" }],
      },
    });
    expect(await screen.findByText("Will wait, position 2 in the queue")).toBeTruthy();
    expect(screen.getByText(/at most 6 slices of one GPU/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "nightly" })).toBeTruthy();
    expect(screen.getByText(/on lent GPUs/)).toBeTruthy();
  });

  it("puts advice into the form: another pool, and the amounts that are enough there", async () => {
    const fits = {
      model: "A100",
      total_gpu_memory_mib: 8192,
      total_gpu_milli: 250,
      position: null,
    };
    const share = { gpus: 0, slices: 0, gpu_milli: 250, gpu_memory_mib: 8192, mig_profile: "" };
    const sharing = aPool({
      id: "pool-2",
      name: "sharing",
      title_en: "Sharing",
      slices_per_card: 1,
    });
    const advised = {
      ...fits,
      ...share,
      code: "share_enough",
      pool: sharing,
      verdict: "starts_now",
      expected_start: null,
    };
    const measured = {
      runs: 3,
      peak_gpu_memory_mib: 6144,
      busy_pct: 12,
      requested_gpu_memory_mib: 32_768,
      requested_gpu_milli: 1000,
    };
    const { asked } = show(
      { [DRY_RUN]: { ...starts, advice: { ...measured, enough: [advised] } } },
      [
        aPool({ mode: "exclusive", limits: { ...aPool().limits, gpus_max: 8 } }),
        { ...sharing, limits: { ...sharing.limits, gpu_memory_mib_max: 32_768 } },
      ],
    );
    expect(await screen.findByText(/^3 similar runs peaked at 6\.0 GiB/)).toBeTruthy();
    expect(screen.getByText(/in Sharing \(A100\): starts now/)).toBeTruthy();
    await userEvent.click(screen.getByText("Use this"));
    const body = { pool: "sharing", gpu_milli: 250, gpu_memory_mib: 8192 };
    await waitFor(() => expect(asked.at(-1)?.body).toMatchObject(body));
    expect(asked.at(-1)?.body).not.toHaveProperty("gpus");
  });

  it("creates in the server's units, with a key against doubles", async () => {
    const notebook = aWorkload({ kind: "environment" });
    const { asked, onCreated } = show({ [CREATE]: notebook });
    const name = await screen.findByRole("textbox", { name: "Name" });
    await userEvent.clear(name);
    await userEvent.type(name, "sam");
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(onCreated).toHaveBeenCalled());
    const sent = asked.find(({ route }) => route === CREATE);
    expect(sent?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f]{32}$/);
    expect(sent?.body).toEqual({
      name: "sam",
      group: "vision",
      pool: "development",
      image: "python",
      slices: 1,
      cpu_milli: 2000,
      memory_mib: 8192,
      time_limit_s: 28_800,
    });
  });

  it("creates a notebook as small as the job that it goes on from, without a GPU", async () => {
    const job = { name: "sort", pool: "development", gpus: 0, cpu_milli: 250, memory_mib: 256 };
    const offered = { groups: [group], pools: [aPool()], images: [anImage()], group: "vision" };
    const again = notebookFormLike(job, { job: "7" }, offered as never);
    const { asked, onCreated } = show({ [CREATE]: aWorkload() }, [aPool()], again);
    await userEvent.click(await screen.findByText("Create notebook"));
    await waitFor(() => expect(onCreated).toHaveBeenCalled());
    const small = { gpus: 0, cpu_milli: 250, memory_mib: 256 };
    expect(asked.find(({ route }) => route === CREATE)?.body).toMatchObject(small);
    // It follows what is filled in by a moment, and may come after the answer.
    await waitFor(() =>
      expect(asked.findLast(({ route }) => route === DRY_RUN)?.body).toMatchObject(small),
    );
  });

  it("creates with variables, each with a name of its own", async () => {
    const { asked, onCreated } = show({ [CREATE]: aWorkload({ kind: "environment" }) });
    const add = async () =>
      userEvent.click(await screen.findByRole("button", { name: "Add variable" }));
    await add();
    await userEvent.type(await screen.findByLabelText("Name of variable 1"), "HF_HOME");
    await userEvent.type(screen.getByLabelText("Value of variable 1"), "/volumes/models");
    await add();
    await userEvent.type(await screen.findByLabelText("Name of variable 2"), "HF_HOME");
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    expect(await screen.findByText("This name is already used.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Remove variable 2" }));
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(onCreated).toHaveBeenCalled());
    expect(asked.find(({ route }) => route === CREATE)?.body).toMatchObject({
      env: { HF_HOME: "/volumes/models" },
    });
  });

  it("creates with a schedule, whose choice is said while it is folded away", async () => {
    const notebook = aWorkload({ kind: "environment" });
    const { asked, onCreated } = show({ [CREATE]: notebook });
    await userEvent.click(await screen.findByRole("switch", { name: "Schedule" }));
    expect(await screen.findByText("Mon–Fri 09:00–19:00")).toBeTruthy();
    await userEvent.clear(screen.getByLabelText("Stops at"));
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(onCreated).toHaveBeenCalled());
    expect(asked.find(({ route }) => route === CREATE)?.body).toMatchObject({
      schedule: { days: [0, 1, 2, 3, 4], start_minute: 540, stop_minute: null },
    });
  });

  it("opens the section of a field that is wrong", async () => {
    const { asked } = show({});
    await userEvent.click(await screen.findByRole("switch", { name: "Schedule" }));
    const stop = screen.getByLabelText("Stops at");
    const fold = stop.closest("details");
    fold?.removeAttribute("open");
    await userEvent.clear(stop);
    await userEvent.type(stop, "09:00");
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    expect(await screen.findByText("Must differ from the start time.")).toBeTruthy();
    expect(fold?.open).toBe(true);
    expect(asked.some(({ route }) => route === CREATE)).toBe(false);
  });

  it("shows a refusal with its request id and keeps the form", async () => {
    const { onCreated } = show({
      [CREATE]: () => problem(409, "name_taken", { detail: "Taken.", request_id: "r-7" }),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Create notebook" }));
    expect(await screen.findByText("Taken.")).toBeTruthy();
    expect(screen.getByText("r-7")).toBeTruthy();
    expect(onCreated).not.toHaveBeenCalled();
  });

  it("says once why nothing can start, and drops the refusal when the form changes", async () => {
    const params = { resource: "slices", requested: 9, most: 8 };
    const reason = { code: "never_fits", params };
    const { asked } = show({
      [DRY_RUN]: { ...starts, verdict: "refused", reasons: [reason] },
      [CREATE]: () => problem(422, "never_fits", { params, detail: "Too large." }),
    });
    expect(await screen.findByText(/^Needs 9 slices/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    expect(await screen.findByText(/^Not submitted/)).toBeTruthy();
    expect(screen.getAllByText(/^Needs 9 slices/)).toHaveLength(1);
    await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "2");
    await waitFor(() => expect(screen.queryByText(/^Not submitted/)).toBeNull());
    expect(asked.filter(({ route }) => route === CREATE)).toHaveLength(1);
  });

  it("says once that nobody answered, and takes it back when somebody does", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    let isAway = false;
    const away = (answer: unknown) => () =>
      isAway ? Promise.reject(new TypeError("Failed to fetch")) : answer;
    const { asked } = show({ [DRY_RUN]: away(starts), [CREATE]: away(aWorkload()) });
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    await screen.findByText("Starts now");
    isAway = true;
    await user.click(screen.getByRole("button", { name: "Create notebook" }));
    expect(await screen.findByText(/^Not submitted: the portal did not answer/)).toBeTruthy();
    await vi.advanceTimersByTimeAsync(12_000);
    expect(screen.getAllByRole("alert")).toHaveLength(1);
    expect(screen.queryByText(/retries automatically/)).toBeNull();
    isAway = false;
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await screen.findByText(/^The portal answers again\. Submit once more/)).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Create notebook" }));
    const sent = () => asked.filter(({ route }) => route === CREATE);
    await waitFor(() => expect(sent()).toHaveLength(2));
    // The same key: what arrived after all is not created twice.
    const keys = sent().map(({ headers }) => headers.get("Idempotency-Key"));
    expect(new Set(keys).size).toBe(1);
  });

  it("says what an hour costs, by the GPUs that it would get", async () => {
    const price = { id: "1", valid_from: "2020-01-01", valid_until: null, may_remove: false };
    const prices = [{ ...price, model: "A", hourly_micros: 8_000_000, currency: "EUR" }];
    show({
      [DRY_RUN]: onFirstCard,
      "GET /api/v1/gpu-prices": { currency: "EUR", open_from: "2020-01-01", models: [], prices },
    });
    expect(await screen.findByText("≈ €1.00 per hour")).toBeTruthy();
  });

  it("restores what was typed when it is opened again, until it is submitted", async () => {
    show({});
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "-mine");
    const { value } = screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });
    await userEvent.click(screen.getByRole("button", { name: "Add variable" }));
    await userEvent.type(screen.getByLabelText("Name of variable 1"), "HF_TOKEN");
    cleanup();

    const { onCreated } = show({ [CREATE]: aWorkload() });
    expect(await screen.findByText("Restored what you had typed.")).toBeTruthy();
    expect(screen.getByText(/^Values of environment variables are not kept/)).toBeTruthy();
    expect(screen.getByRole("textbox", { name: "Name" })).toHaveProperty("value", value);
    expect(screen.getByLabelText("Name of variable 1")).toHaveProperty("value", "HF_TOKEN");
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(onCreated).toHaveBeenCalled());
    cleanup();

    show({});
    await screen.findByRole("textbox", { name: "Name" });
    expect(screen.queryByText("Restored what you had typed.")).toBeNull();
  });

  it("starts over without what was typed, and keeps nothing that nobody typed", async () => {
    show({});
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "-mine");
    cleanup();
    show({});
    await userEvent.click(await screen.findByRole("button", { name: "Start over" }));
    const name = await screen.findByRole<HTMLInputElement>("textbox", { name: "Name" });
    expect(name.value).toMatch(/^notebook-\d{4}-\d{4}$/);
    cleanup();
    show({});
    await screen.findByText("Starts now");
    expect(screen.queryByText("Restored what you had typed.")).toBeNull();
  });

  it("forgets what was typed when it was submitted and the page left before the answer", async () => {
    let answer = (_: unknown) => {};
    const { asked } = show({ [CREATE]: () => new Promise((resolve) => (answer = resolve)) });
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "-mine");
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    await waitFor(() => expect(asked.some(({ route }) => route === CREATE)).toBe(true));
    expect(sessionStorage.getItem("berth.drafts")).toContain("-mine");
    cleanup();
    answer(aWorkload());
    await waitFor(() => expect(sessionStorage.getItem("berth.drafts")).toBe("[]"));
  });

  it("sends nothing while a field is wrong", async () => {
    const { asked } = show({});
    await userEvent.clear(await screen.findByRole("textbox", { name: "Name" }));
    await userEvent.click(screen.getByRole("button", { name: "Create notebook" }));
    expect(await screen.findByText("Enter a name.")).toBeTruthy();
    expect(asked.some(({ route }) => route === CREATE)).toBe(false);
  });
});
