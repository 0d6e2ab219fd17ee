import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { chooseClock } from "@/shared/i18n/clock";
import { aMe, aPool, aWorkload } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { changeForm, changeInput } from "../model/changes";
import { ChangeButton, ExtendButton, PendingRequest } from "./change-buttons";

const JOB = "PATCH /api/v1/jobs/workload-1";
const REQUEST = "POST /api/v1/approvals";
const page = (results: object[]) => ({ next: null, previous: null, results });

afterEach(() => chooseClock("", "h23"));

async function extend(answer: unknown) {
  const asked = serve({
    [JOB]: answer,
    [REQUEST]: { decider: "platform_admin" },
    "GET /api/v1/approvals": page([]),
  });
  renderPart(<ExtendButton workload={aWorkload()} />, aMe());
  await userEvent.click(await screen.findByRole("button", { name: "Extend time limit" }));
  await userEvent.click(await screen.findByRole("button", { name: "Set time limit" }));
  return asked;
}

it("sets a longer limit at once where the policy allows it", async () => {
  const asked = await extend(aWorkload({ time_limit_s: 7200 }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === JOB)?.body).toEqual({ time_limit_s: 7200 });
});

it.each([
  ["+8 h", 9 * 3600, "21:00"],
  ["Until 18:00", 6 * 3600, "18:00"],
])("sets the limit by %s, and says at what time it then ends", async (button, seconds, at) => {
  chooseClock("UTC", "h23");
  const today = new Date().toISOString().slice(0, 10);
  const asked = serve({ [JOB]: aWorkload(), "GET /api/v1/approvals": page([]) });
  const workload = aWorkload({ time_limit_s: 3600, ends_at: `${today}T13:00:00Z` });
  renderPart(<ExtendButton workload={workload} />, aMe());
  await userEvent.click(await screen.findByRole("button", { name: "Extend time limit" }));
  await userEvent.click(await screen.findByRole("button", { name: button }));
  expect((await screen.findByText(/^It then ends /)).textContent).toContain(at);
  await userEvent.click(screen.getByRole("button", { name: "Set time limit" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === JOB)?.body).toEqual({ time_limit_s: seconds });
});

it.each(["time_limit_too_long", "would_delay_reservation"])(
  "offers a request where the answer is %s",
  async (code) => {
    const asked = await extend(() => problem(409, code, { detail: "Not so long." }));
    expect(await screen.findByText(/Not so long\./)).toBeTruthy();
    await userEvent.type(screen.getByRole("textbox", { name: "Reason" }), "one more epoch");
    await userEvent.click(screen.getByRole("button", { name: "Send request" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(await screen.findByText("Request sent. A platform admin decides.")).toBeTruthy();
    expect(asked.find(({ route }) => route === REQUEST)?.body).toEqual({
      kind: "time_limit",
      workload: "workload-1",
      time_limit_s: 7200,
      comment: "one more epoch",
    });
  },
);

it("shows other refusals in the dialog", async () => {
  await extend(() => problem(409, "not_changeable", { detail: "It has ended." }));
  expect(await screen.findByText("It has ended.")).toBeTruthy();
  expect(screen.queryByRole("textbox", { name: "Reason" })).toBeNull();
});

it("says that a longer time was requested, and who decides", async () => {
  const asked = { time_limit_s: 10_800 };
  const request = { id: "r", state: "pending", asked, decider: "group_admin" };
  serve({ "GET /api/v1/approvals": page([request]) });
  renderPart(<PendingRequest workload={aWorkload()} />, aMe());
  const words = (await screen.findByTestId("pending-request")).textContent;
  expect(words).toBe("A time limit of 3 h has been requested. A group admin decides.");
});

function EndingWork() {
  const [isOver, setOver] = useState(false);
  const ended = { state: "succeeded", finished_at: "2026-03-01T09:30:00Z" } as const;
  return (
    <>
      <ExtendButton workload={aWorkload(isOver ? ended : {})} />
      <button type="button" onClick={() => setOver(true)}>
        end it
      </button>
    </>
  );
}

it("keeps its dialog open when the work ends under it, and says when it did", async () => {
  serve({});
  renderPart(<EndingWork />, aMe());
  await userEvent.click(await screen.findByRole("button", { name: "Extend time limit" }));
  await screen.findByRole("button", { name: "Set time limit" });
  fireEvent.click(screen.getByText("end it"));
  expect((await screen.findByRole("alert")).textContent).toMatch(/^train has ended \(.*2026.*\)/);
  expect(screen.queryByRole("button", { name: "Set time limit" })).toBeNull();
});

it.each([
  ["running", aMe()],
  ["queued", aMe({ id: "someone-else" })],
] as const)("offers no change of %s work, or of that of others", async (state, me) => {
  serve({});
  renderPart(<ChangeButton workload={aWorkload({ state })} />, me);
  expect(screen.queryByRole("button", { name: "Change" })).toBeNull();
});

/** Opens the dialog on work in a pool of whole GPUs; returns what is asked of the server. */
async function open(workload: WorkloadDetail) {
  const { limits } = aPool();
  const pool = aPool({ mode: "exclusive", slices_per_card: 1, limits: { ...limits, gpus_max: 8 } });
  const asked = serve({
    [JOB]: workload,
    "GET /api/v1/pools": page([pool]),
    "GET /api/v1/images": page([]),
    "GET /api/v1/group-limits": [],
  });
  renderPart(<ChangeButton workload={workload} />, aMe());
  await userEvent.click(await screen.findByRole("button", { name: "Change" }));
  return asked;
}

it("sends what was changed, with the version that was shown", async () => {
  const asked = await open(aWorkload({ state: "queued", version: 7 }));
  const gpus = await screen.findByRole("spinbutton", { name: /GPU/ });
  await userEvent.clear(gpus);
  await userEvent.type(gpus, "2");
  await userEvent.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === JOB)?.body).toEqual({ version: 7, gpus: 2 });
});

it("takes the GPU from waiting work, and leaves work without one as it is", async () => {
  const asked = await open(aWorkload({ state: "queued", memory_mib: 256 }));
  await userEvent.click(await screen.findByRole("switch", { name: "No GPU" }));
  await userEvent.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === JOB)?.body).toEqual({ version: 1, gpus: 0 });
  const bare = aWorkload({ gpus: 0, memory_mib: 256 });
  expect(changeInput(changeForm(bare), bare)).toEqual({ version: 1 });
});

it("gives waiting work another name", async () => {
  const asked = await open(aWorkload({ state: "queued" }));
  const name = await screen.findByRole("textbox", { name: "Name" });
  await userEvent.clear(name);
  await userEvent.type(name, "night run");
  await userEvent.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === JOB)?.body).toEqual({ version: 1, name: "night run" });
});

it("leaves the name of a task to its array", async () => {
  const array = { id: "array-1", indexes: "0-9", size: 10, running_max: null, states: {} };
  await open(aWorkload({ state: "queued", array, array_id: "array-1", array_index: 3 }));
  await screen.findByRole("spinbutton", { name: /GPU/ });
  expect(screen.queryByRole("textbox", { name: "Name" })).toBeNull();
});

it("sends nothing that was not changed", () => {
  const shared = aWorkload({ gpus: 0, gpu_milli: 250, gpu_memory_mib: 8192 });
  expect(changeInput(changeForm(shared), shared)).toEqual({ version: 1 });
  const longer = { ...changeForm(shared), time_limit_s: 7200, priority: "low" as const };
  expect(changeInput(longer, shared)).toEqual({ version: 1, time_limit_s: 7200, priority: "low" });
});
