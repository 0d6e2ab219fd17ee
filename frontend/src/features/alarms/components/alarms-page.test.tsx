import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Alarm, AlarmKindTerms, AlarmRule } from "@/shared/api/types";
import { aMe } from "@/testing/factories";
import { type Asked, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { fieldsOf, ruleBody } from "../model/alarms";
import { AlarmsPage } from "./alarms-page";

const AT = "2026-03-01T09:00:00Z";
const ALARM: Alarm = {
  id: "alarm-1",
  rule: { id: "rule-1", kind: "gpu_fault", name: "", severity: "critical" },
  state: "firing",
  subject_type: "accelerator",
  subject_id: "card-1",
  subject_name: "node-1 #0",
  work_kind: "",
  node_id: "node-1",
  detail: "xid_79",
  value: 1,
  owner: null,
  group: null,
  pool: null,
  since: AT,
  fired_at: AT,
  resolved_at: null,
  notified_at: AT,
  acted_at: null,
  outcome: "",
  acknowledged_at: null,
  acknowledged_by: null,
  comment: "",
};
const TERMS: AlarmKindTerms = {
  kind: "gpu_hot",
  unit: "celsius",
  is_below: false,
  least: 30,
  most: 130,
  threshold: 88,
  duration_s: 300,
  severity: "warning",
  audience: ["staff"],
  acts: ["cordon_node"],
  has_pool: true,
  has_group: false,
  has_past: true,
};
const RULE: AlarmRule = {
  id: "rule-2",
  kind: "gpu_hot",
  name: "",
  severity: "warning",
  is_shipped: true,
  enabled: true,
  threshold: 88,
  duration_s: 300,
  pool: null,
  group: null,
  by_group: false,
  quiet_from: 1320,
  quiet_until: 420,
  audience: ["staff"],
  channels: [{ id: "channel-1", name: "night shift" }],
  act: "cordon_node",
  tag: "",
  version: 1,
};
const NOTHING = { next: null, previous: null, results: [] };

function show(
  platform_role: "" | "auditor" | "operator" | "platform_admin",
  routes: Record<string, unknown>,
) {
  const asked = serve({ "GET /api/v1/alarm-channels": [], ...routes });
  renderPart(<AlarmsPage />, aMe({ platform_role }));
  return asked;
}

it("shows members what fires, in words, and lets them acknowledge it", async () => {
  const acknowledge = "POST /api/v1/alarms/alarm-1/acknowledge";
  const asked = show("", {
    "GET /api/v1/alarms": { ...NOTHING, results: [ALARM] },
    [acknowledge]: ALARM,
  });
  expect(await screen.findByText("It reported Xid 79.")).toBeTruthy();
  expect(screen.getByText("GPU fault")).toBeTruthy();
  expect(screen.getAllByRole("tab").map(({ textContent }) => textContent)).toEqual([
    "Firing",
    "History",
  ]);
  expect(screen.queryByRole("button", { name: /^Silence/ })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Acknowledge node-1 #0" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox", { name: "Comment" }), "on my way");
  await userEvent.click(dialog.getByRole("button", { name: "Acknowledge" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked.find(({ route }) => route === acknowledge)?.body).toEqual({ comment: "on my way" });
});

it("acknowledges many alarms at once, of those that nobody has taken", async () => {
  const [one, other] = ["alarm-1", "alarm-2"].map((id) => ({ ...ALARM, id, subject_name: id }));
  const taken = { ...ALARM, id: "alarm-3", subject_name: "alarm-3", acknowledged_at: AT };
  const routes = ["alarm-1", "alarm-2"].map((id) => `POST /api/v1/alarms/${id}/acknowledge`);
  const asked = show("operator", {
    "GET /api/v1/alarms": { ...NOTHING, results: [one, other, taken] },
    ...Object.fromEntries(routes.map((route) => [route, ALARM])),
  });
  await userEvent.click(await screen.findByRole("checkbox", { name: "Select all listed" }));
  await userEvent.click(screen.getByRole("button", { name: "Acknowledge (2)" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.click(dialog.getByRole("button", { name: "Acknowledge" }));
  expect(await dialog.findByText("2 of 2 done.")).toBeTruthy();
  const sent = asked.filter(({ route }) => route.startsWith("POST"));
  expect(sent.map(({ route, body }) => [route, body])).toEqual(
    routes.map((route) => [route, { comment: "" }]),
  );
});

it("keeps the tab and the filters in the address, and asks the server with them", async () => {
  const asked = show("operator", { "GET /api/v1/alarms": NOTHING });
  await userEvent.click(await screen.findByRole("checkbox", { name: "Not acknowledged" }));
  await userEvent.type(screen.getByRole("searchbox", { name: /Find/ }), "node-1{Enter}");
  expect(await screen.findByText("No alarms match")).toBeTruthy();
  expect(lastQuery(asked)).toEqual({
    state: "firing",
    subject: "node-1",
    is_acknowledged: "false",
  });
  await userEvent.click(screen.getByRole("tab", { name: "History" }));
  await waitFor(() => expect(lastQuery(asked)).toEqual({ state: "resolved", subject: "node-1" }));
  await userEvent.click(screen.getByRole("button", { name: /^Remove the filter/ }));
  expect(await screen.findByText("No history yet")).toBeTruthy();
});

function lastQuery(asked: Asked[]) {
  const last = asked.findLast(({ route }) => route === "GET /api/v1/alarms");
  return Object.fromEntries(new URL(last?.url ?? "").searchParams);
}

it("leads to the page of the work that an alarm is about", async () => {
  const about: Alarm = { ...ALARM, subject_type: "workload", subject_name: "tb", work_kind: "app" };
  show("", { "GET /api/v1/alarms": { ...NOTHING, results: [about] } });
  const link = await screen.findByRole("link", { name: "tb" });
  expect(link.getAttribute("href")).toBe("/apps/card-1");
});

const VISION = {
  id: "group-1",
  name: "vision",
  title_en: "Computer vision",
  title_zh: "计算机视觉",
};
const QUOTA: Alarm = {
  ...ALARM,
  rule: { id: "rule-3", kind: "quota_near", name: "", severity: "info" },
  subject_type: "quota",
  subject_id: "quota-1",
  subject_name: "vision",
  node_id: null,
  detail: "gpu H100 SXM",
  value: 97,
  group: VISION,
};
const A100 = { id: "pool-1", name: "a100", title_en: "A100 cards", title_zh: "A100 卡" };

it("names limits by the titles of their group and pool, and leads to the quotas", async () => {
  await speak("zh-CN");
  const budget = { ...QUOTA.rule, kind: "budget_near" as const };
  show("", {
    "GET /api/v1/alarms": {
      ...NOTHING,
      results: [
        QUOTA,
        {
          ...QUOTA,
          id: "alarm-2",
          rule: budget,
          subject_type: "budget",
          detail: "month",
          pool: A100,
        },
      ],
    },
  });
  const links = await screen.findAllByRole("link", { name: "计算机视觉" });
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/quotas", "/quotas"]);
  expect(screen.getByText("加速卡 · H100 SXM · 全部资源池")).toBeTruthy();
  expect(screen.getByText("当月 · A100 卡")).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "确认 计算机视觉" })).toHaveLength(2);
});

it("writes to the file what the table says", async () => {
  let written: Blob | undefined;
  const createObjectURL = (blob: Blob) => {
    written = blob;
    return "#";
  };
  Object.assign(URL, { createObjectURL, revokeObjectURL: () => {} });
  show("", {
    "GET /api/v1/alarms": {
      ...NOTHING,
      results: [ALARM, { ...QUOTA, id: "alarm-2", acknowledged_at: AT, comment: "asked for more" }],
    },
  });
  await userEvent.click(await screen.findByText("CSV"));
  await waitFor(() => expect(written).toBeTruthy());
  const text = await textOf(written as Blob);
  for (const words of [
    "Critical",
    "GPU fault: node-1 #0",
    "It reported Xid 79.",
    "Quota near its limit: Computer vision",
    "97 % · GPUs · H100 SXM · all pools",
    "asked for more",
  ]) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain("xid_79");
});

/** jsdom's own has no `text`. */
function textOf(blob: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.readAsText(blob);
  });
}

it("tries a rule and names what it finds as the list does", async () => {
  const { rule: _, ...subject } = QUOTA;
  show("platform_admin", {
    "GET /api/v1/alarms": NOTHING,
    "GET /api/v1/alarm-rules": { rules: [], kinds: [{ ...TERMS, kind: "quota_near" }] },
    "POST /api/v1/alarm-rules/trial": { count: 1, subjects: [subject], past: null },
  });
  await userEvent.click(await screen.findByRole("tab", { name: "Rules" }));
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.click(dialog.getByRole("button", { name: "Try it" }));
  const found = "Computer vision: 97 % · GPUs · H100 SXM · all pools";
  expect(await dialog.findByText(found)).toBeTruthy();
});

it("says so when nothing fires", async () => {
  show("", { "GET /api/v1/alarms": NOTHING });
  expect(await screen.findByText("Nothing fires")).toBeTruthy();
});

it("shows staff the rules in words; only administrators change them", async () => {
  show("auditor", {
    "GET /api/v1/alarms": NOTHING,
    "GET /api/v1/alarm-rules": { rules: [RULE], kinds: [TERMS] },
  });
  await userEvent.click(await screen.findByRole("tab", { name: "Rules" }));
  expect(await screen.findByText(/at least 88 °C for 5 min/)).toBeTruthy();
  expect(screen.getByText("Administrators and operators, night shift")).toBeTruthy();
  expect(screen.getByText("Cordons the node")).toBeTruthy();
  expect(screen.getByText("Quiet 22:00–07:00")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Add a rule" })).toBeNull();
  expect(screen.queryByRole("tab", { name: "Channels" })).toBeNull();
});

it("shows the secret of a new webhook once", async () => {
  show("platform_admin", {
    "GET /api/v1/alarms": NOTHING,
    "POST /api/v1/alarm-channels": { id: "channel-1", signing_secret: "whsec_abc" },
  });
  await userEvent.click(await screen.findByRole("tab", { name: "Channels" }));
  expect(await screen.findByText("No channels yet")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Add a channel" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox", { name: "Name" }), "hook");
  await userEvent.type(dialog.getByRole("textbox", { name: "Address" }), "https://example.org/x");
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("whsec_abc")).toBeTruthy();
});

it("sends a rule back as it was filled in, without what its kind does not have", () => {
  const body = ruleBody(
    { ...fieldsOf(RULE), group: "group-1", audience: ["owner", "staff"] },
    TERMS,
  );
  expect(body).toEqual({
    kind: "gpu_hot",
    severity: "warning",
    threshold: 88,
    duration_s: 300,
    pool: null,
    group: null,
    quiet_from: 1320,
    quiet_until: 420,
    audience: ["staff"],
    channels: ["channel-1"],
    act: "cordon_node",
    tag: "",
  });
});

const OWN_GROUP = { ...VISION, parent: null, role: "group_admin" as const };
const HEAD = aMe({ memberships: [{ group: VISION, role: "group_admin" }] });
const WAITING: AlarmKindTerms = {
  ...TERMS,
  kind: "work_held",
  unit: "none",
  threshold: 1,
  duration_s: 0,
  audience: ["staff"],
  acts: [],
  has_group: true,
};

it("lets group admins add a rule about their group, heard within it", async () => {
  const ofStaff: AlarmRule = { ...RULE, id: "rule-3", name: "of the lab", group: VISION };
  const own: AlarmRule = { ...ofStaff, id: "rule-4", name: "ours", by_group: true };
  const asked = serve({
    "GET /api/v1/alarms": NOTHING,
    "GET /api/v1/groups": { ...NOTHING, results: [OWN_GROUP] },
    "GET /api/v1/alarm-rules": { rules: [ofStaff, own], kinds: [TERMS, WAITING] },
    "POST /api/v1/alarm-rules": own,
  });
  renderPart(<AlarmsPage />, HEAD);
  await userEvent.click(await screen.findByRole("tab", { name: "Rules" }));
  expect(await screen.findByRole("button", { name: "Edit ours" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Edit of the lab" })).toBeNull();
  expect(screen.queryByRole("tab", { name: "Silences" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Add a rule" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox", { name: "Name" }), "held");
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  expect(await dialog.findByText("Choose a group.")).toBeTruthy();
  await userEvent.click(dialog.getByRole("combobox", { name: "Group" }));
  await userEvent.click(await screen.findByTitle("Computer vision"));
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const sent = asked.find(({ route }) => route.startsWith("POST"))?.body;
  expect(sent).toMatchObject({
    kind: "work_held",
    name: "held",
    group: "group-1",
    audience: ["group_admins"],
    channels: [],
  });
  expect(asked.map(({ route }) => route)).not.toContain("GET /api/v1/alarm-channels");
});
