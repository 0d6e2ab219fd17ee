import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aWorkload } from "@/testing/factories";
import { renderPart } from "@/testing/render";
import { SilentNodes, WorkloadFacts } from "./workload-page";

const held = {
  uuid: "a",
  index: 2,
  model: "",
  slot: 1,
  slices: 1,
  gpu_milli: 0,
  ceiling_mib: null,
};

function show(fields: Partial<WorkloadDetail>, device: object) {
  const node = { id: "n", name: "gpu-1" };
  const devices = [{ ...held, memory_mib: 8192, ...device }];
  const allocations = [{ rank: 0, state: "bound", isolation: "cgroup", node, devices }];
  renderPart(
    <WorkloadFacts workload={aWorkload({ ...fields, allocations: allocations as never })} />,
  );
}

it("says what part of a card a share holds, and how far it may grow", async () => {
  const share = { gpus: 0, gpu_milli: 250, gpu_memory_mib: 8192, gpu_memory_ceiling_mib: 12_288 };
  show(share, { gpu_milli: 250, ceiling_mib: 12_288 });
  expect(
    await screen.findByText(/card 2, 25 % compute \(8\.0 GiB, up to 12\.0 GiB\)/),
  ).toBeTruthy();
  expect(screen.getByText("12.0 GiB")).toBeTruthy();
});

it("says that a share without a ceiling grows as far as its pool lets it", async () => {
  show({ gpus: 0, gpu_milli: 250, gpu_memory_mib: 8192 }, { gpu_milli: 250 });
  expect(await screen.findByText("the pool's maximum")).toBeTruthy();
});

it("calls a partition by its profile and a whole card a card", async () => {
  show({ gpus: 0, slices: 2, mig_profile: "2g.20gb" }, { slices: 8 });
  expect(await screen.findByText(/card 2, MIG 2g\.20gb \(8\.0 GiB\)/)).toBeTruthy();
});

it("leaves the folder of an app to its page: it is not mounted under its own name", async () => {
  const spec = { ...aWorkload().spec, home: true, inputs: [{ job: "job-1", name: "shown" }] };
  show({ kind: "app", spec }, {});
  expect(await screen.findByText("gpu-1", { exact: false })).toBeTruthy();
  expect(screen.queryByText("/inputs/shown")).toBeNull();
  expect(screen.queryByText("/home/berth")).toBeNull();
});

it("shows variables with their values to the owner, and by name to others", async () => {
  const { spec } = aWorkload();
  show({ spec: { ...spec, env: { LR: "0.1" }, hidden_env: ["HIDDEN"] } }, {});
  expect(await screen.findByText("LR=0.1")).toBeTruthy();
  expect(screen.getByText("HIDDEN")).toBeTruthy();
});

const SINCE = "2026-01-05T10:00:00Z";

it.each([
  ["keep", /no second copy starts/],
  ["replace", /starts on another node/],
] as const)("says what happens to work with the term %s", async (silence, words) => {
  const silent_nodes = [{ node: { id: "n", name: "gpu-07" }, since: SINCE, silence }];
  renderPart(<SilentNodes workload={{ silent_nodes }} />);
  expect(await screen.findByText(/Node gpu-07 has not been heard since/)).toBeDefined();
  expect(screen.getByText(words)).toBeDefined();
});
