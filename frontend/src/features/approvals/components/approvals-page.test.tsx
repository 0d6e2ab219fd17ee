import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Approval } from "@/shared/api/types";
import { aMe, aPage, aPool } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { askedValues } from "../model/requests";
import { ApprovalsPage } from "./approvals-page";

const AT = "2026-03-01T09:00:00Z";
const REQUEST: Approval = {
  id: "request-1",
  kind: "time_limit",
  state: "pending",
  decider: "group_admin",
  deciders: ["Li Wei", "Chen Jie", "Zhou Min", "Wu Lan"].map((display_name, at) => ({
    id: `head-${at}`,
    username: `head-${at}`,
    display_name,
  })),
  requester: { id: "user-2", username: "wang.fang", display_name: "Wang Fang" },
  group: { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" },
  workload: { id: "workload-1", kind: "training", name: "train" },
  quota: null,
  asked: { time_limit_s: 10_800 },
  before: { time_limit_s: 3600 },
  comment: "one more epoch",
  created_at: AT,
  expires_at: AT,
  decided_by: null,
  decided_at: null,
  decision_comment: "",
  may_decide: true,
  may_withdraw: false,
};

function show(requests: Approval[], routes: Record<string, unknown> = {}) {
  const asked = serve({
    "GET /api/v1/approvals": { next: null, previous: null, results: requests },
    "GET /api/v1/approvals/counts": { to_decide: requests.length, mine: 0 },
    "GET /api/v1/quotas": [],
    ...routes,
  });
  renderPart(<ApprovalsPage />, aMe());
  return asked;
}

it("shows what is requested, by whom and why, and approves it with a comment", async () => {
  const approve = "POST /api/v1/approvals/request-1/approve";
  const asked = show([REQUEST], { [approve]: { ...REQUEST, state: "approved" } });
  expect(await screen.findByText("Time limit: 1 h → 3 h")).toBeTruthy();
  expect(screen.getByText("“one more epoch”")).toBeTruthy();
  expect(screen.getByText("for a group admin")).toBeTruthy();
  expect(screen.getByText("Li Wei, Chen Jie, Zhou Min +1")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Approve" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox", { name: "Comment" }), "fine");
  await userEvent.click(dialog.getByRole("button", { name: "Approve" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === approve)?.body).toEqual({ comment: "fine" });
});

it("leads to the page of the work that a request is about", async () => {
  const ofApp: Approval = { ...REQUEST, workload: { id: "app-1", kind: "app", name: "tb" } };
  show([ofApp]);
  const link = await screen.findByRole("link", { name: "tb" });
  expect(link.getAttribute("href")).toBe("/apps/app-1");
});

it("lets people withdraw their own, and says how others ended", async () => {
  const mine = { ...REQUEST, may_decide: false, may_withdraw: true };
  const declined: Approval = {
    ...REQUEST,
    id: "request-2",
    state: "declined",
    deciders: [],
    may_decide: false,
    decided_by: { id: "user-3", username: "li.wei", display_name: "Li Wei" },
    decision_comment: "not tonight",
  };
  const withdraw = "POST /api/v1/approvals/request-1/withdraw";
  const asked = show([mine, declined], { [withdraw]: mine });
  await userEvent.click(await screen.findByRole("button", { name: "Withdraw" }));
  await waitFor(() => expect(asked.some(({ route }) => route === withdraw)).toBe(true));
  expect(screen.getByText("by Li Wei")).toBeTruthy();
  expect(screen.getByText("“not tonight”")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
});

it("says how much of which pool a request would reserve, and when", async () => {
  const reservation: Approval = {
    ...REQUEST,
    kind: "reservation",
    workload: null,
    before: {},
    asked: {
      name: "Finals",
      pool: aPool().id,
      gpus: 6,
      slices: 0,
      starts_at: AT,
      ends_at: "2026-03-01T12:00:00Z",
      weekly_until: "2026-03-15T09:00:00Z",
    },
  };
  show([reservation], { "GET /api/v1/pools": aPage([aPool()]) });
  expect(await screen.findByText(`“Finals”: 6 GPUs of ${aPool().title_en}`)).toBeTruthy();
  expect(screen.getByText(/every week until/)).toBeTruthy();
});

it("takes the ceilings of a request one by one", () => {
  const values = askedValues({
    asked: { running_max: null, ceilings: { "quota-1": 4000 } },
    before: { running_max: 2, ceilings: { "quota-1": 1000 } },
  });
  expect(values).toEqual([
    { name: "running_max", quota: null, before: 2, asked: null },
    { name: "ceiling", quota: "quota-1", before: 1000, asked: 4000 },
  ]);
});

it("keeps which requests are shown in the address, and asks the server for those", async () => {
  const asked = show([]);
  await screen.findByText("No requests");
  const kinds = screen.getByRole("combobox", { name: "Kind" });
  await userEvent.selectOptions(kinds, "Higher member limit");
  await waitFor(() => {
    const last = asked.findLast(({ route }) => route === "GET /api/v1/approvals");
    expect(Object.fromEntries(new URL(last?.url ?? "").searchParams)).toEqual({
      side: "mine",
      kind: "member_limit",
    });
  });
});
