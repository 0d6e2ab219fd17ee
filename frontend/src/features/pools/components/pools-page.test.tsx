import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Node } from "@/shared/api/types";
import { aMe, aNode, aPage, aPool } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PoolsPage } from "./pools-page";

const development = aPool();
const training = aPool({
  id: "pool-2",
  name: "training",
  title_en: "Training",
  mode: "exclusive",
  slices_per_card: 1,
  slice_mib: 0,
  is_open: false,
});

function show(role: string, routes: Record<string, unknown> = {}, node: Partial<Node> = {}) {
  const asked = serve({
    "GET /api/v1/pools": aPage([development, training]),
    "GET /api/v1/nodes": aPage([aNode(node)]),
    ...routes,
  });
  renderPart(<PoolsPage />, aMe({ platform_role: role }));
  return asked;
}

async function fill(name: string, text: string) {
  fireEvent.change(await screen.findByLabelText(name), { target: { value: text } });
}

/** By the words or the label of a button: looking for roles in a page of forms takes seconds. */
async function press(name: string, find: "Label" | "Words" = "Label") {
  const found = await (find === "Label"
    ? screen.findByLabelText(name)
    : screen.findByText(name, { selector: "button *" }));
  fireEvent.click(found);
}

it("says how each pool gives its GPUs away, and which nodes are in it", async () => {
  show("auditor");
  const panel = await screen.findByRole("region", { name: "Development" });
  expect(within(panel).getByText("slices, 8 per GPU, 4.0 GiB each")).toBeTruthy();
  expect(within(panel).getByText("time-slicing, memory watched (no hard limit)")).toBeTruthy();
  expect(within(panel).getByRole("link", { name: "gpu-dev-1" })).toBeTruthy();
  const other = screen.getByRole("region", { name: "Training" });
  expect(within(other).getByText("whole GPUs")).toBeTruthy();
  expect(within(other).getByText("Closed for new work")).toBeTruthy();
  // Besides those that sort and show a table, an auditor has none.
  const ofTables = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  const others = screen
    .getAllByRole("button")
    .map(({ textContent }) => textContent)
    .filter((text) => ![...ofTables, "Columns ▾", "CSV"].includes(text));
  expect(others).toEqual([]);
});

it("says which pool replicas of services go to", async () => {
  show("operator", { "GET /api/v1/pools": aPage([aPool({ purpose: "inference" })]) });
  const panel = await screen.findByRole("region", { name: "Development" });
  expect(within(panel).getByText("Services")).toBeTruthy();
});

it("makes a pool of partitions behind the wall of the hardware", async () => {
  const route = "POST /api/v1/pools";
  const asked = show("operator", { [route]: aPool() });
  await press("Create pool", "Words");
  await fill("Name", "cut");
  await fill("Title in English", "Cut");
  await fill("Title in Chinese", "Cut");
  fireEvent.click(screen.getByText("Hardware partitions (MIG)"));
  await screen.findByText(/^Memory of the smallest profile/);
  await fill("Memory of a slice (MiB)", "9984");
  const dialog = screen.getByRole("dialog");
  fireEvent.click(within(dialog).getByText("Create pool", { selector: "button *" }));
  await waitFor(() => expect(asked.some((item) => item.route === route)).toBe(true));
  expect(asked.find((item) => item.route === route)?.body).toMatchObject({
    name: "cut",
    mode: "mig",
    slices_per_card: 8,
    slice_mib: 9984,
    isolation: "mig",
    default_time_limit_s: 28_800,
  });
});

it("says at the field why the server refuses a cut", async () => {
  const errors = [
    { pointer: "/slice_mib", code: "slice_needs_memory", params: {}, detail: "Say." },
  ];
  const refused = () => problem(400, "invalid_input", { errors });
  show("operator", { "PATCH /api/v1/pools/pool-1": refused });
  await press("Edit Development");
  await press("Save pool", "Words");
  expect(await screen.findByText("Say.")).toBeTruthy();
});

it("replaces a pool that others have changed only after it was looked at", async () => {
  let pool = aPool({ version: 1 });
  const route = "PATCH /api/v1/pools/pool-1";
  const asked = show("operator", {
    "GET /api/v1/pools": () => aPage([pool, training]),
    [route]: () => {
      if (pool.version === 2) return pool;
      pool = aPool({ title_en: "Theirs", version: 2 });
      return problem(409, "changed_by_another", { params: { who: "li.wei", changed_at: 0 } });
    },
  });
  const title = () => screen.getByLabelText<HTMLInputElement>("Title in English").value;
  await press("Edit Development");
  await fill("Title in English", "Mine");
  await press("Save pool", "Words");
  await press("Show what is saved now", "Words");
  expect(title()).toBe("Theirs");
  await press("Back to my values", "Words");
  expect(title()).toBe("Mine");
  await press("Save pool", "Words");
  await waitFor(() => {
    const bodies = asked.filter((item) => item.route === route).map(({ body }) => body);
    expect(bodies).toMatchObject([
      { title_en: "Mine", version: 1 },
      { title_en: "Mine", version: 2 },
    ]);
  });
});

it("says why a pool cannot be removed", async () => {
  const refused = () => problem(409, "pool_has_nodes", { detail: "It has 1 node." });
  show("operator", { "DELETE /api/v1/pools/pool-1": refused });
  await press("Remove Development");
  fireEvent.click(within(await screen.findByRole("tooltip")).getByText("Remove"));
  expect(await screen.findByText("It has 1 node.")).toBeTruthy();
});

it("closes an open pool, and opens a closed one", async () => {
  const asked = show("operator", {
    "PATCH /api/v1/pools/pool-1": development,
    "PATCH /api/v1/pools/pool-2": training,
  });
  await press("Close Development");
  await press("Open Training");
  await waitFor(() => {
    const bodies = asked.filter(({ route }) => route.startsWith("PATCH")).map(({ body }) => body);
    expect(bodies).toEqual([{ is_open: false }, { is_open: true }]);
  });
});

it("moves a drained node, and says of any other what comes first", async () => {
  const route = "POST /api/v1/nodes/node-1/move";
  const asked = show("operator", { [route]: aNode() }, { state: "drained", hold: "drain" });
  await press("Move gpu-dev-1");
  fireEvent.click(within(await screen.findByRole("dialog")).getByText("Move"));
  await waitFor(() =>
    expect(asked.find((item) => item.route === route)?.body).toEqual({ pool: "pool-2" }),
  );
});

it("says that a node in service is drained first", async () => {
  show("operator");
  expect(await screen.findByText("Drain it first")).toBeTruthy();
});

it("shows the settings of a new node once", async () => {
  const token = { token: "berthjoin_x", expires_at: "2026-03-01T09:15:00Z" };
  const asked = show("operator", { "POST /api/v1/nodes/join-tokens": token });
  await press("Add node to Training");
  await fill("Name of the server", "gpu-7");
  await press("Create join token", "Words");
  expect(await screen.findByText(/join_token = "berthjoin_x"/)).toBeTruthy();
  const sent = asked.find(({ route }) => route.endsWith("join-tokens"));
  expect(sent?.body).toEqual({ node_name: "gpu-7", pool: "pool-2" });
});
