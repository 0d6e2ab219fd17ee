import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Me } from "@/shared/api/types";
import { aMe, aPage, aPool, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, silentSocket } from "@/testing/render";
import type { WorkloadFilters } from "../api/workloads";
import { WorkloadList } from "./workload-list";

const LIST = "GET /api/v1/workloads";
const USE = "GET /api/v1/usage/workloads";

async function show(filters: WorkloadFilters, me: Me, workload = aWorkload()) {
  const asked = serve({
    [LIST]: aPage([workload]),
    "GET /api/v1/groups": aPage([{ id: "group-1" }, { id: "group-2" }]),
    "GET /api/v1/pools": aPage([aPool({ id: "pool-1" })]),
  });
  const socket = silentSocket();
  const subscribe = vi.spyOn(socket, "subscribe");
  renderPart(<WorkloadList id="jobs" label="Jobs" filters={filters} empty={null} />, me, socket);
  await screen.findByText("train");
  /** Of the list's topics; the names that it shows are lists with topics of their own. */
  const rings = () =>
    new Map(subscribe.mock.calls.filter(([topic]) => !topic.startsWith("changed:")));
  return { rings, lists: () => asked.filter(({ route }) => route === LIST).length };
}

it.each([
  ["a member's", aMe(), ["group:group-1", "group:group-2"]],
  ["an auditor's", aMe({ platform_role: "auditor", memberships: [] }), ["pool:pool-1"]],
])("fetches %s list again when the work of others changes", async (_, me, topics) => {
  const { rings, lists } = await show({ kind: "training" }, me);
  await waitFor(() => expect([...rings().keys()].toSorted()).toEqual(topics));
  const before = lists();
  rings().get(topics[0] as string)?.(Date.now());
  await waitFor(() => expect(lists()).toBe(before + 1), { timeout: 3_000 });
});

it("fetches nothing again that was read after the last change", async () => {
  const { rings, lists } = await show({ kind: "training" }, aMe());
  await waitFor(() => expect(rings().size).toBe(2));
  const before = lists();
  rings().get("group:group-1")?.(Date.now() - 60_000);
  rings().get("group:group-2")?.(Date.now());
  await waitFor(() => expect(lists()).toBe(before + 1), { timeout: 3_000 });
});

it("follows nobody else for a list of my own work", async () => {
  const { rings } = await show({ owner: "me" }, aMe());
  expect(rings().size).toBe(0);
});

it("says of queued work when it may start, until then", async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await show({ owner: "me" }, aMe(), aWorkload({ state: "queued", not_before: tomorrow }));
  expect(screen.getByText(/^Not before \w+ \d\d:\d\d$/)).toBeTruthy();
});

it("says nothing of a start that was allowed long ago", async () => {
  const not_before = "2026-03-01T09:00:00Z";
  await show({ owner: "me" }, aMe(), aWorkload({ state: "queued", not_before, position: 2 }));
  expect(screen.getByText("Position 2 in the queue")).toBeTruthy();
});

it("has a column of tags where some work has any", async () => {
  await show({ owner: "me" }, aMe(), aWorkload({ tags: ["nightly", "paper"] }));
  expect(screen.getByText("Tags")).toBeTruthy();
  expect(screen.getByText("nightly, paper")).toBeTruthy();
});

it("has none where no work has tags", async () => {
  await show({ owner: "me" }, aMe());
  expect(screen.getByText("Owner")).toBeTruthy();
  expect(screen.queryByText("Tags")).toBeNull();
});

it("shows further columns to a reader who chose them, and asks once for all rows, only then", async () => {
  const begun = { state: "failed" as const, started_at: "2026-03-01T09:00:00Z" };
  const one = aWorkload({
    ...begun,
    finished_at: "2026-03-01T11:05:00Z",
    exit_code: 137,
  });
  const other = aWorkload({ id: "workload-2", name: "other" });
  const held = { gpu_milli_s: 1, use_pct: null, nodes: [], costs: [] };
  const uses = [
    {
      ...held,
      workload: one.id,
      use_pct: 64,
      nodes: ["gpu-1", "gpu-2", "gpu-3"],
      costs: [{ amount: "12.50", currency: "EUR" }],
    },
    { ...held, workload: other.id },
  ];
  const asked = serve({
    [LIST]: aPage([one, other]),
    "GET /api/v1/groups": aPage([]),
    "GET /api/v1/pools": aPage([]),
    [USE]: { uses },
  });
  const columns = ["Run time", "Node", "GPU use", "Exit code", "Cost"];
  const list = () =>
    renderPart(<WorkloadList id="jobs" label="Jobs" filters={{ owner: "me" }} empty={null} />);
  const first = list();
  await screen.findByText("other");
  expect(asked.some(({ route }) => route === USE)).toBe(false);
  expect(screen.queryByRole("columnheader", { name: "Cost" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: /Columns/ }));
  for (const name of columns) await userEvent.click(screen.getByRole("checkbox", { name }));
  first.unmount();

  list();
  await screen.findByText("€12.50");
  const [, row, empty] = screen.getAllByRole("row").map(({ textContent }) => textContent);
  expect(row).toContain("2 h 5 mingpu-1, gpu-2 +164 %137€12.50");
  expect(empty).toMatch(/–––––$/);
  const questions = asked.filter(({ route }) => route === USE);
  expect(new Set(questions.map(({ url }) => new URL(url).search))).toEqual(
    new Set([`?ids=${one.id},${other.id}`]),
  );
});
