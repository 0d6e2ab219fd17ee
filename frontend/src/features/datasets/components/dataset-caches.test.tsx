import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { CachesDrawer } from "./dataset-caches";

const ROUTE = "/api/v1/datasets/dataset-1/versions/2/caches";
const node = {
  id: "node-1",
  name: "gpu-1",
  pool: { id: "pool-1", name: "training", title_en: "Training", title_zh: "训练" },
  limit_mib: 1024,
  reported_at: "2026-01-01T08:00:00Z",
  copy_state: null as object | null,
  is_ordered: false,
};
const copy = { phase: "cached", progress_pct: 100, size_bytes: 2048, used_at: null, detail: "" };
const here = { ...node, copy_state: copy, is_ordered: true };
const other = { ...node, id: "node-2", name: "gpu-2" };

function show(nodes: object[], routes: Record<string, unknown> = {}, may_order = true) {
  const asked = serve({ [`GET ${ROUTE}`]: { may_order, nodes }, ...routes });
  renderPart(
    <CachesDrawer
      version={{ datasetId: "dataset-1", number: 2 }}
      name="faces@2"
      onClose={() => undefined}
    />,
    aMe({ platform_role: "operator" }),
  );
  return asked;
}

it("says where a version is on the disk, and where work reads from the storage", async () => {
  show([here, other], {}, false);
  expect(await screen.findByText("On 1 of 2 nodes with a cache.")).toBeTruthy();
  expect(screen.getByText(/· kept$/)).toBeTruthy();
  expect(screen.getByText("Read from the storage")).toBeTruthy();
  expect(screen.queryByLabelText("Where")).toBeNull();
  expect(screen.queryByText("Keep no longer")).toBeNull();
});

it("orders one node to keep it, and shows how far the copy is", async () => {
  const copying = { ...copy, phase: "copying", progress_pct: 40 };
  const asked = show([here, other], {
    [`POST ${ROUTE}`]: {
      may_order: true,
      nodes: [here, { ...other, copy_state: copying, is_ordered: true }],
    },
  });
  fireEvent.mouseDown(await screen.findByLabelText("Where"));
  fireEvent.click(await screen.findByTitle("gpu-2"));
  fireEvent.click(screen.getByText("Keep here", { selector: "button *" }));
  await waitFor(() =>
    expect(asked.find(({ route }) => route === `POST ${ROUTE}`)?.body).toEqual({
      nodes: ["node-2"],
    }),
  );
  expect(await screen.findByText("40%")).toBeTruthy();
});

it("says why there is no copy", async () => {
  const failed = { ...copy, phase: "failed", detail: "cache_full: 1024 MiB" };
  show([{ ...other, copy_state: failed }]);
  expect(
    await screen.findByText("It does not fit into the cache beside what is in use (1024 MiB)."),
  ).toBeTruthy();
});
