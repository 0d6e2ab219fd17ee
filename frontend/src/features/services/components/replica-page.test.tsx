import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ReplicaPage } from "./replica-page";

function show(fields: Partial<WorkloadDetail>) {
  const replica = aWorkload({ kind: "replica", time_limit_s: null, ...fields });
  const asked = serve({
    "GET /api/v1/workloads/workload-1/events": aPage([]),
    "POST /api/v1/replicas/workload-1/stop": replica,
  });
  renderPart(<ReplicaPage replica={replica} log={null} />);
  return asked;
}

it("says that it has no time limit, and lets it be replaced", async () => {
  const asked = show({ state: "running" });
  expect(await screen.findByText("No limit")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Replace" }));
  await waitFor(() =>
    expect(asked.map(({ route }) => route)).toContain("POST /api/v1/replicas/workload-1/stop"),
  );
});

it("cannot be replaced when it has ended", async () => {
  show({ state: "cancelled", cause: "requested" });
  expect(await screen.findByText("No limit")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Replace" })).toBeNull();
});
