import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { Me } from "@/shared/api/types";
import { aMe, aPage, aPool, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, silentSocket } from "@/testing/render";
import type { WorkloadFilters } from "../api/workloads";
import { WorkloadList } from "./workload-list";

const LIST = "GET /api/v1/workloads";

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
