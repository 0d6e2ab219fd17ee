import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aMe, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { WorkloadFacts } from "./workload-facts";
import { OwnerNotice, SilentNodes } from "./workload-page";

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

const person = (username: string) => ({ id: username, username, display_name: username });
const members = ["zhao", "sun"].map((name) => ({
  user: person(name),
  role: name === "sun" ? "viewer" : "developer",
  is_own: true,
  kind: "person",
}));

it("lets administrators hand over work whose owner may not submit, to those who may", async () => {
  const asked = serve({
    "GET /api/v1/groups/group-1/members": members,
    "POST /api/v1/workloads/workload-1/handover": aWorkload(),
  });
  const group = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" };
  const workload = aWorkload({
    state: "queued",
    owner_left_at: SINCE,
    owner: person("qian"),
    group,
  });
  renderPart(<OwnerNotice workload={workload} />, aMe({ platform_role: "platform_admin" }));

  await userEvent.click(await screen.findByRole("combobox", { name: "Hand over to" }));
  expect(screen.queryByText("sun")).toBeNull();
  await userEvent.click(await screen.findByTitle("zhao"));
  await userEvent.click(screen.getByRole("button", { name: "Hand over to zhao" }));
  await userEvent.click(await screen.findByRole("button", { name: "Hand over" }));
  await waitFor(() => expect(asked.find(({ body }) => body)?.body).toEqual({ to: "zhao" }));
});

it("only tells others that its owner may not submit any more", async () => {
  const workload = aWorkload({ state: "running", owner_left_at: SINCE, heir: person("zhao") });
  renderPart(<OwnerNotice workload={workload} />, aMe({ memberships: [] }));
  expect(await screen.findByText(/It goes to zhao once/)).toBeTruthy();
  expect(screen.queryByRole("combobox")).toBeNull();
});
