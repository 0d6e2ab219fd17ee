import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Node } from "@/shared/api/types";
import { aCard, aMe, aNode, aPage } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { NodeList } from "./node-list";

const nodes = [
  aNode({ id: "node-10", name: "gpu-10", address: "10.0.0.10" }),
  aNode({
    id: "node-2",
    name: "gpu-2",
    state: "cordoned",
    hold: "cordon",
    accelerators: [aCard(), aCard({ id: "card-2", state: "suspect" })],
  }),
];

function show(role = "operator", routes: Record<string, unknown> = {}, all: Node[] = nodes) {
  const asked = serve({ "GET /api/v1/saved-views": aPage([]), ...routes });
  renderPart(<NodeList nodes={all} />, aMe({ platform_role: role }));
  return asked;
}

const names = async () => {
  const rows = within(await screen.findByRole("table"))
    .getAllByRole("row")
    .slice(1);
  return rows.map((row) => within(row).getByRole("link").textContent);
};

it("lists nodes by name as people count, and says what is wrong", async () => {
  show();
  expect(await names()).toEqual(["gpu-2", "gpu-10"]);
  screen.getByText("1 card out of service");
});

it("narrows to what matches, names each filter and gives it up again", async () => {
  show();
  await userEvent.type(await screen.findByRole("searchbox"), "10.0.0.10{Enter}");
  await waitFor(async () => expect(await names()).toEqual(["gpu-10"]));
  await userEvent.click(screen.getByRole("checkbox", { name: "Needs attention" }));
  await screen.findByText("No node matches");
  await userEvent.click(screen.getByRole("button", { name: "Clear all" }));
  await waitFor(async () => expect(await names()).toEqual(["gpu-2", "gpu-10"]));
});

it("does the same to several nodes, and says which refused", async () => {
  const asked = show("operator", {
    "POST /api/v1/nodes/node-2/drain": aNode(),
    "POST /api/v1/nodes/node-10/drain": problem(409, "node_state"),
  });
  await userEvent.click(await screen.findByRole("checkbox", { name: "Select all listed" }));
  screen.getByRole("button", { name: "Cordon (1)" });
  await userEvent.click(screen.getByRole("button", { name: "Drain (2)" }));
  const dialog = await screen.findByRole("dialog");
  await userEvent.click(within(dialog).getByRole("button", { name: "Drain" }));
  await within(dialog).findByText("1 of 2 done. 1 refused.");
  expect(asked.map(({ route }) => route)).toEqual(
    expect.arrayContaining(["POST /api/v1/nodes/node-2/drain", "POST /api/v1/nodes/node-10/drain"]),
  );
});

it("lets others read only", async () => {
  show("");
  await names();
  expect(screen.queryByRole("checkbox", { name: "Select all listed" })).toBeNull();
});
