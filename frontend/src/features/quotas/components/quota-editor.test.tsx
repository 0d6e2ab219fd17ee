import { Link, useLocation } from "@tanstack/react-router";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { aMe, aPage, aQuota } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { HistoryPanel } from "./history-panel";
import { QuotaEditor } from "./quota-editor";

const gpu = aQuota({ pool: null, guarantee: 0, deserved: 4000, ceiling: 6000, used: 5000 });
const cpu = { ...gpu, id: "quota-2", resource: "cpu" };
const groups = [{ ...gpu.group, role: null, parent: null }];
const SAVE = "POST /api/v1/quota-changes";
const PREVIEW = "POST /api/v1/quota-changes/preview";
const none = { total: 0, works: [] };
const preview = {
  changes: [],
  members: [],
  capacities: [{ pool: null, resource: "gpu", installed: 8000, usable: 7000 }],
  overcommits: [],
  starts: none,
  held_back: none,
  possible: none,
  impossible: [],
  impossible_total: 0,
  stops: [],
  stops_total: 0,
  exposures: [],
  exceeded: [],
  waiting: 0,
};
const change = {
  id: "change-1",
  at: "2026-11-23T10:00:00Z",
  actor: null,
  actor_name: "root",
  reason: "New nodes",
  undoes: null,
  undone_by: null,
  members: [
    {
      group: gpu.group,
      user: { id: "user-2", username: "wang.fang", display_name: "Wang Fang" },
      pool: null,
      resource: "gpu",
      model: "",
      before: null,
      after: 1000,
    },
  ],
  items: [
    {
      group: gpu.group,
      pool: null,
      resource: "gpu",
      model: "",
      before: { guarantee: 0, deserved: 0, ceiling: 4000, user_ceiling: null, weight: "low" },
      after: { guarantee: 0, deserved: 0, ceiling: null, user_ceiling: null, weight: "low" },
    },
  ],
};

const limit = {
  id: "limit-1",
  group: gpu.group,
  user: { id: "user-2", username: "wang.fang", display_name: "Wang Fang" },
  time_limit_s_max: null,
  pending_max: null,
  running_max: null,
  environments_max: null,
  priority_max: null,
  ceilings: [{ quota: gpu.id, resource: "gpu", pool: null, ceiling: 2000 }],
};

function show(answers: Record<string, unknown> = {}) {
  const asked = serve({
    "GET /api/v1/groups": aPage(groups),
    "GET /api/v1/quotas": [gpu, cpu],
    "GET /api/v1/pools": aPage([]),
    "GET /api/v1/member-limits": [limit],
    "GET /api/v1/quota-changes": aPage([change]),
    [PREVIEW]: preview,
    [SAVE]: change,
    ...answers,
  });
  return asked;
}

const editor = () =>
  renderPart(<QuotaEditor onClose={() => {}} />, aMe({ platform_role: "platform_admin" }));
const cellOf = (name: RegExp) => screen.findByRole("textbox", { name });

describe("QuotaEditor", () => {
  it("heads every row by its group, which is seen once and read each time", async () => {
    show();
    editor();
    await cellOf(/^Ceiling, .*GPUs/);
    const heads = screen.getAllByRole("rowheader");
    const repeated = heads.filter((head) => head.querySelector(".repeated"));
    expect(repeated.map(({ textContent }) => textContent)).toEqual([heads[0]?.textContent]);
    expect(heads[0]?.textContent).toBeTruthy();
  });

  it("edits several cells by keys, previews them and saves them with a reason", async () => {
    const asked = show();
    editor();
    const user = userEvent.setup();
    const ceiling = await cellOf(/^Ceiling, .*GPUs/);
    await user.clear(ceiling);
    await user.type(ceiling, "8{Enter}");
    expect(document.activeElement).toBe(await cellOf(/^Ceiling of Wang Fang/));
    await user.keyboard("{Enter}");
    expect(document.activeElement).toBe(await cellOf(/^Ceiling, .*CPU/));
    await user.keyboard("{Control>}a{/Control}9{Tab}");
    expect(document.activeElement).toBe(await cellOf(/^Ceiling per member, .*CPU/));
    expect(screen.getByText("2 changes, not saved")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Preview and save" }));
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByText("No group is promised more than there is.")).toBeTruthy();
    await user.type(within(dialog).getByRole("textbox"), "More nodes");
    await user.click(within(dialog).getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(asked.some(({ route }) => route === SAVE)).toBe(true));
    const body = asked.find(({ route }) => route === SAVE)?.body as {
      reason: string;
      changes: { before: { ceiling: number }; after: { ceiling: number } }[];
    };
    expect(body.reason).toBe("More nodes");
    expect(body.changes.map(({ before, after }) => [before.ceiling, after.ceiling])).toEqual([
      [6000, 8000],
      [6000, 9000],
    ]);
    await waitFor(() => expect(screen.getByText("No changes yet")).toBeTruthy());
  });

  it("edits what a member may hold below its quota, together with the group's", async () => {
    const asked = show();
    editor();
    const user = userEvent.setup();
    const cell = await cellOf(/^Ceiling of Wang Fang, GPUs/);
    expect((cell as HTMLInputElement).value).toBe("2");
    await user.clear(cell);
    await user.type(cell, "x");
    expect(screen.getByText("Enter an amount such as 6 or 0.5.")).toBeTruthy();
    await user.clear(cell);
    await user.type(cell, "0.5");
    expect(screen.getByText("1 change, not saved")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Preview and save" }));
    await user.click(
      within(await screen.findByRole("dialog")).getByRole("button", { name: /^Save/ }),
    );
    await waitFor(() => expect(asked.some(({ route }) => route === SAVE)).toBe(true));
    const where = { group: gpu.group.id, pool: null, resource: "gpu", model: "" };
    expect(asked.find(({ route }) => route === SAVE)?.body).toMatchObject({
      changes: [],
      members: [{ ...where, user: "user-2", before: 2000, after: 500 }],
    });
  });

  it("puts what the server refuses of a member at its line", async () => {
    const errors = [
      { pointer: "/members/0/after", code: "above_group_limit", detail: "Too much." },
    ];
    const refusal = () => problem(422, "quota_change_invalid", { errors });
    let calls = 0;
    show({ [PREVIEW]: () => (calls++ === 0 ? Response.json(preview) : refusal()) });
    editor();
    const user = userEvent.setup();
    const cell = await cellOf(/^Ceiling of Wang Fang/);
    await user.clear(cell);
    expect(screen.queryByText("Enter an amount such as 6 or 0.5.")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Preview and save" }));
    const line = await within(screen.getByRole("table")).findByText("Too much.");
    expect(line.closest("tr")?.previousElementSibling?.getAttribute("data-member")).toBe(
      "Wang Fang",
    );
  });

  it("adds a row for what has no quota, and removes one, through the same preview and save", async () => {
    const asked = show();
    editor();
    const form = await screen.findByRole("region", { name: "Add a quota" });
    const choose = async (name: string, option: string) => {
      await userEvent.click(within(form).getByRole("combobox", { name: new RegExp(`^${name}`) }));
      await userEvent.click((await screen.findAllByTitle(option)).at(-1) as HTMLElement);
    };
    await choose("Group", "Vision");
    await userEvent.click(within(form).getByRole("button", { name: "Add a quota" }));
    expect(await within(form).findByText(/already has this quota/)).toBeTruthy();
    await choose("Resource", "Memory");
    await userEvent.click(within(form).getByRole("button", { name: "Add a quota" }));
    const ceiling = await cellOf(/^Ceiling, .*[Mm]emory/);
    await userEvent.type(ceiling, "64");
    await userEvent.click(screen.getByRole("button", { name: /^Remove: .*CPU/ }));
    expect(screen.queryByRole("textbox", { name: /^Ceiling, .*CPU/ })).toBeNull();
    expect(screen.getByText("2 changes, not saved")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Preview and save" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(asked.some(({ route }) => route === SAVE)).toBe(true));
    const body = asked.find(({ route }) => route === SAVE)?.body as {
      changes: { resource: string; before: object | null; after: object | null }[];
    };
    expect(body.changes.map(({ before, after }) => [before === null, after === null])).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it("keeps a quota after all, and offers nobody else to add or remove", async () => {
    show();
    editor();
    await userEvent.click(await screen.findByRole("button", { name: /^Remove: Vision.*GPUs/ }));
    await userEvent.click(screen.getByRole("button", { name: /^Keep: Vision.*GPUs/ }));
    expect(screen.getByText("No changes yet")).toBeTruthy();
  });

  it("takes a cell back by Escape, and marks what cannot be", async () => {
    show();
    editor();
    const ceiling = await cellOf(/^Ceiling, .*GPUs/);
    await userEvent.clear(ceiling);
    await userEvent.type(ceiling, "3");
    expect(screen.getByText(/At least 4/)).toBeTruthy();
    const look = screen.getByRole("button", { name: "Preview and save" });
    expect(look.hasAttribute("disabled")).toBe(true);
    await userEvent.type(ceiling, "{Escape}");
    expect((ceiling as HTMLInputElement).value).toBe("6");
    expect(screen.getByText("No changes yet")).toBeTruthy();
  });

  it("sums what is promised as it is typed", async () => {
    show();
    editor();
    const deserved = await cellOf(/^Deserved, .*GPUs/);
    await userEvent.clear(deserved);
    await userEvent.type(deserved, "9");
    const sums = screen.getByTestId("quota-sums");
    expect(within(sums).getByText(/deserved 9 of 7/)).toBeTruthy();
    expect(within(sums).getByText(/2 too much/)).toBeTruthy();
  });

  it("puts a refusal at the row that it is about", async () => {
    const fault = { pointer: "/changes/0", code: "quota_changed", params: {}, detail: "Changed." };
    const refusal = () => problem(409, "quotas_changed", { errors: [fault] });
    let calls = 0;
    show({ [PREVIEW]: () => (calls++ === 0 ? Response.json(preview) : refusal()) });
    editor();
    await userEvent.type(await cellOf(/^Ceiling, .*GPUs/), "0");
    await userEvent.click(screen.getByRole("button", { name: "Preview and save" }));
    expect((await screen.findAllByText("Changed.")).length).toBeGreaterThan(0);
    expect(((await cellOf(/^Ceiling, .*GPUs/)) as HTMLInputElement).value).toBe("60");
  });

  it("puts the refusal of a cell at the cell", async () => {
    const pointer = "/changes/0/after/ceiling";
    const fault = { pointer, code: "above_group_ceiling", params: {}, detail: "6 at most." };
    const refusal = () => problem(422, "quota_change_invalid", { errors: [fault] });
    let calls = 0;
    show({ [PREVIEW]: () => (calls++ === 0 ? Response.json(preview) : refusal()) });
    editor();
    const ceiling = await cellOf(/^Ceiling, .*GPUs/);
    await userEvent.type(ceiling, "0");
    await userEvent.click(screen.getByRole("button", { name: "Preview and save" }));
    await waitFor(() => expect(ceiling.getAttribute("aria-invalid")).toBe("true"));
    const cell = ceiling.closest("td");
    expect(cell && within(cell).getByText("6 at most.")).toBeTruthy();
  });

  const choose = async (...parts: BlobPart[]) =>
    userEvent.upload(
      await screen.findByLabelText("CSV file with quotas"),
      new File(parts, "quotas.csv", { type: "text/csv" }),
    );

  it.each([
    ["", "The file is empty."],
    ["\0PK", /^This is not a CSV file in UTF-8/],
    [new Uint8Array([0xc5, 0xe4, 0xb6, 0xee]), /^This is not a CSV file in UTF-8/],
  ])("says what a file is that is no table: %j", async (content, words) => {
    const asked = show();
    editor();
    await choose(content);
    expect(await screen.findByText(words)).toBeTruthy();
    expect(asked.some(({ route }) => route.endsWith("/csv"))).toBe(false);
  });

  it("forgets an old refusal with a better file, which leaves what was typed elsewhere", async () => {
    const fault = { pointer: "/changes/0/after/ceiling", code: "odd", params: {}, detail: "Odd." };
    const refusal = () => problem(422, "quota_change_invalid", { errors: [fault], detail: "No." });
    let calls = 0;
    const edit = { ...change.items[0], group: gpu.group.id, resource: "memory", before: null };
    show({
      [PREVIEW]: () => (calls++ === 0 ? Response.json(preview) : refusal()),
      "POST /api/v1/quota-changes/csv": { changes: [edit], members: [] },
    });
    editor();
    await userEvent.type(await cellOf(/^Ceiling, .*GPUs/), "0");
    await userEvent.click(screen.getByRole("button", { name: "Preview and save" }));
    expect(await screen.findByText("No.")).toBeTruthy();
    await choose("group,resource\n");
    expect(await screen.findByText(/^The file makes 1 change/)).toBeTruthy();
    expect(screen.queryByText("No.")).toBeNull();
    expect(screen.queryByText("Odd.")).toBeNull();
    expect(((await cellOf(/^Ceiling, .*GPUs/)) as HTMLInputElement).value).toBe("60");
    await userEvent.click(screen.getByRole("button", { name: "Discard" }));
    expect(screen.queryByText(/^The file makes/)).toBeNull();
  });

  it("asks before unsaved cells are left, and not without any", async () => {
    show();
    const Place = () => (
      <>
        <output aria-label="place">{useLocation().pathname}</output>
        <Link to="/queue">Queue</Link>
        <Link to="/nodes">Nodes</Link>
        <QuotaEditor onClose={() => {}} />
      </>
    );
    renderPart(<Place />, aMe({ platform_role: "platform_admin" }));
    const ceiling = await cellOf(/^Ceiling, .*GPUs/);
    const place = () => screen.getByLabelText("place").textContent;
    await userEvent.click(screen.getByText("Nodes"));
    await waitFor(() => expect(place()).toBe("/nodes"));
    await userEvent.type(ceiling, "0");
    await userEvent.click(screen.getByText("Queue"));
    expect(await screen.findByText("Discard unsaved changes?")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Keep editing" }));
    expect([place(), (ceiling as HTMLInputElement).value]).toEqual(["/nodes", "60"]);
    await userEvent.click(screen.getByText("Queue"));
    await userEvent.click(await screen.findByRole("button", { name: "Discard and leave" }));
    await waitFor(() => expect(place()).toBe("/queue"));
  });

  it("fills the cells from a file and saves nothing", async () => {
    const { before, after } = { before: null, after: change.items[0]?.after };
    const edit = { group: gpu.group.id, pool: null, resource: "memory", model: "", before, after };
    const asked = show({ "POST /api/v1/quota-changes/csv": { changes: [edit], members: [] } });
    editor();
    await cellOf(/^Ceiling, .*GPUs/);
    await userEvent.upload(
      screen.getByLabelText("CSV file with quotas"),
      new File(["\ufeffgroup,resource\n"], "quotas.csv", { type: "text/csv" }),
    );
    expect(await cellOf(/^Ceiling, .*Memory/)).toBeTruthy();
    expect(asked.find(({ route }) => route.endsWith("/csv"))?.body).toEqual({
      text: "group,resource\n",
    });
    expect(asked.some(({ route }) => route === SAVE)).toBe(false);
  });
});

describe("HistoryPanel", () => {
  it("says who changed what and why, and undoes it after a preview", async () => {
    const asked = show();
    renderPart(<HistoryPanel />, aMe({ platform_role: "platform_admin" }));
    expect(await screen.findByText("Ceiling 4 → unlimited")).toBeTruthy();
    expect(screen.getByText("New nodes")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /^Undo the change/ }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(asked.some(({ route }) => route === SAVE)).toBe(true));
    expect(asked.find(({ route }) => route === SAVE)?.body).toEqual({
      undo: "change-1",
      reason: "",
    });
  });

  it("offers no undo to those who only read", async () => {
    show();
    renderPart(<HistoryPanel />, aMe({ platform_role: "auditor" }));
    expect(await screen.findByText("New nodes")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Undo/ })).toBeNull();
  });
});
