import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ImageNodesDrawer } from "./image-nodes";

const ROUTE = "GET /api/v1/images/image-1/nodes";
const training = { id: "pool-1", name: "training", title_en: "Training", title_zh: "训练" };
const here = {
  id: "node-1",
  name: "gpu-1",
  pool: training,
  reported_at: "2026-01-01T08:00:00Z",
  cached: {
    digest: `sha256:${"a".repeat(64)}`,
    size_bytes: 3 * 1024 ** 3,
    layers: 7,
    since: "2026-01-01T08:00:00Z",
    used_at: null,
  },
  pull: null,
};
const lacking = { ...here, id: "node-2", name: "gpu-2", cached: null };
const old = { ...lacking, id: "node-3", name: "gpu-3", reported_at: null };
const ended = {
  id: "pull-1",
  progress_pct: 0,
  detail: "",
  requester: { id: "user-1", username: "li.wei", display_name: "Li Wei" },
  created_at: "2026-01-01T08:00:00Z",
  ended_at: null,
};

function show(nodes: object[], routes: Record<string, unknown> = {}, may_pull = true) {
  const asked = serve({ [ROUTE]: { may_pull, nodes }, ...routes });
  renderPart(
    <ImageNodesDrawer image={{ id: "image-1", name: "python" }} onClose={() => undefined} />,
    aMe({ platform_role: "operator" }),
  );
  return asked;
}

it("says on which nodes an image is, how large, and where that is not known", async () => {
  show([here, lacking, old], {}, false);
  expect(await screen.findByText("On 1 of 3 nodes with a container engine.")).toBeTruthy();
  expect(screen.getByText("3.0 GiB, 7 layers")).toBeTruthy();
  expect(screen.getByText("Not here")).toBeTruthy();
  expect(screen.getByText("Not reported: the agent is too old")).toBeTruthy();
  expect(screen.queryByLabelText("Where")).toBeNull();
});

it("orders the nodes of a pool to pull, and shows how far they are", async () => {
  const route = "POST /api/v1/images/image-1/pulls";
  const pulling = { ...lacking, pull: { ...ended, state: "pulling", progress_pct: 40 } };
  const asked = show([here, lacking], { [route]: { may_pull: true, nodes: [here, pulling] } });
  fireEvent.mouseDown(await screen.findByLabelText("Where"));
  fireEvent.click(await screen.findByTitle("All of Training"));
  fireEvent.click(screen.getByText("Pull now", { selector: "button *" }));
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({ pool: "pool-1" }),
  );
  expect(await screen.findByText("40%")).toBeTruthy();
  expect(screen.getByText("Cancel pulls")).toBeTruthy();
});

it("says why a pull has failed", async () => {
  const failed = { ...ended, state: "failed", detail: "image_no_access: 401" };
  show([{ ...lacking, pull: { ...failed, ended_at: "2026-01-01T08:00:00Z" } }]);
  expect(await screen.findByText("The registry refused the login of the platform.")).toBeTruthy();
});
