import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Group, Person } from "@/shared/api/types";
import { aMe, aPage } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PeoplePage } from "./people-page";

const company: Group = {
  id: "group-0",
  name: "acme",
  title_en: "Acme",
  title_zh: "Acme",
  parent: null,
  role: null,
};
const vision: Group = {
  id: "group-1",
  name: "vision",
  title_en: "Vision",
  title_zh: "Vision",
  parent: "group-0",
  role: "group_admin",
};
const ada: Person = {
  id: "user-2",
  username: "ada",
  display_name: "Ada Wu",
  email: "",
  platform_role: "operator",
  is_active: true,
  last_login: null,
  memberships: [{ group: vision, role: "developer" }],
};
const USER = "PATCH /api/v1/users/user-2";
const MEMBERS = "/api/v1/groups/group-1/members";
const members = [
  { user: ada, role: "developer", kind: "person", is_own: true },
  {
    user: { ...ada, id: "user-3", username: "bo", display_name: "Bo Li" },
    role: "viewer",
    kind: "person",
    is_own: false,
  },
];
const uses = [
  {
    user: "user-2",
    week_gpu_milli_s: 5_400_000,
    month_gpu_milli_s: 43_200_000,
    last_sign_in_at: null,
  },
  { user: "user-3", week_gpu_milli_s: 0, month_gpu_milli_s: 0, last_sign_in_at: null },
];

function show(platform_role: string, routes: Record<string, unknown> = {}) {
  const asked = serve({
    "GET /api/v1/users": aPage([ada]),
    "GET /api/v1/groups": aPage([company, vision]),
    "GET /api/v1/groups/group-0/members": [],
    [`GET ${MEMBERS}`]: members,
    "GET /api/v1/usage/groups/group-0/members": [],
    "GET /api/v1/usage/groups/group-1/members": uses,
    ...routes,
  });
  renderPart(<PeoplePage />, aMe({ platform_role }));
  return (route: string) => asked.filter((item) => item.route === route).map(({ body }) => body);
}

const fill = async (name: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(name), { target: { value } });
const press = async (label: string) => fireEvent.click(await screen.findByLabelText(label));
const confirm = async (words: string) =>
  fireEvent.click(
    within(await screen.findByRole("tooltip")).getByText(words, { selector: "button *" }),
  );
const send = (words: string) =>
  fireEvent.click(within(screen.getByRole("dialog")).getByText(words, { selector: "button *" }));

it("shows a platform admin who there is, and adds a person whose password is told once", async () => {
  const route = "POST /api/v1/users";
  const bodies = show("platform_admin", {
    [route]: { ...ada, username: "bo", password: "s3cret-once" },
  });
  expect(await screen.findByText("Ada Wu")).toBeTruthy();
  expect(screen.getByText("Operator")).toBeTruthy();
  expect(screen.getByText("Vision · Developer")).toBeTruthy();
  fireEvent.click(screen.getByText("Add person"));
  await fill("Username", "bo");
  await fill("Display name", "Bo Li");
  send("Save person");
  expect(await screen.findByText("s3cret-once")).toBeTruthy();
  expect(screen.getByText("Copy the password now. It is not shown again.")).toBeTruthy();
  expect(bodies(route)).toEqual([{ username: "bo", display_name: "Bo Li", platform_role: "" }]);
  fireEvent.click(screen.getByText("I have copied it"));
  await waitFor(() => expect(screen.queryByText("s3cret-once")).toBeNull());
});

it("deactivates after saying what that does, and says why it is refused", async () => {
  const refused = () => problem(409, "last_admin", { detail: "Ada is the last one." });
  const bodies = show("platform_admin", { [USER]: refused });
  expect(await screen.findByText("Ada Wu")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Deactivate ada" })).toBeNull();
  await press("More actions for ada");
  await press("Deactivate ada");
  expect(await screen.findByText(/signed out at once; their tokens/)).toBeTruthy();
  await confirm("Deactivate");
  expect(await screen.findByText("Ada is the last one.")).toBeTruthy();
  expect(bodies(USER)).toEqual([{ is_active: false }]);
});

it("changes a person and renames a group, and never their names", async () => {
  const rename = "PATCH /api/v1/groups/group-1";
  const bodies = show("platform_admin", { [USER]: ada, [rename]: vision });
  await press("Edit ada");
  await fill("Display name", "Ada Li");
  expect(screen.queryByLabelText("Username")).toBeNull();
  send("Save person");
  await waitFor(() =>
    expect(bodies(USER)).toEqual([
      { display_name: "Ada Li", email: "", platform_role: "operator" },
    ]),
  );
  fireEvent.click(await screen.findByText("Groups", { selector: "[role=tab]" }));
  await press("Rename Vision");
  await fill("Title in English", "Seeing");
  expect(screen.queryByLabelText("Name")).toBeNull();
  send("Save group");
  await waitFor(() => expect(bodies(rename)).toEqual([{ title_en: "Seeing", title_zh: "Vision" }]));
});

it("adds a group below another, and says why one cannot be removed", async () => {
  const add = "POST /api/v1/groups";
  const refused = () => problem(409, "group_has_groups", { detail: "It has 1 group below it." });
  const bodies = show("platform_admin", {
    [add]: vision,
    "DELETE /api/v1/groups/group-0": refused,
  });
  fireEvent.click(await screen.findByText("Groups", { selector: "[role=tab]" }));
  await press("Add below Acme");
  await fill("Name", "speech");
  await fill("Title in English", "Speech");
  await fill("Title in Chinese", "语音");
  send("Save group");
  await waitFor(() =>
    expect(bodies(add)).toEqual([
      { name: "speech", title_en: "Speech", title_zh: "语音", parent: "group-0" },
    ]),
  );
  await press("Remove Acme");
  await confirm("Remove");
  expect(await screen.findByText(/1 group/)).toBeTruthy();
});

it("lets the head of a group change its own members, and nobody above", async () => {
  const change = `PATCH ${MEMBERS}/user-2`;
  const remove = `DELETE ${MEMBERS}/user-2`;
  const bodies = show("", {
    [change]: members[0],
    [remove]: () => new Response(null, { status: 204 }),
  });
  expect(await screen.findByText("from a group above")).toBeTruthy();
  expect(screen.queryByText("Add person")).toBeNull();
  expect(screen.queryByLabelText("Rename Vision")).toBeNull();
  expect(screen.queryByLabelText("Role of bo")).toBeNull();
  fireEvent.mouseDown(screen.getByLabelText("Role of ada"));
  fireEvent.click(await screen.findByTitle("Viewer"));
  await waitFor(() => expect(bodies(change)).toEqual([{ role: "viewer" }]));
  await press("Remove ada from Vision");
  await confirm("Remove");
  await waitFor(() => expect(bodies(remove)).toHaveLength(1));
  await press("Members of Acme");
  expect(await screen.findByText("No members yet.")).toBeTruthy();
  expect(screen.queryByText("Add member")).toBeNull();
});

it("shows the head of a group what each member held, and who never signed in", async () => {
  show("");
  const rows = within(await screen.findByRole("table", { name: "Members of Vision" }));
  const ada = within(rows.getByText("ada").closest("tr") as HTMLElement);
  expect(await ada.findByText("1.5")).toBeTruthy();
  expect(ada.getByText("12")).toBeTruthy();
  expect(ada.getByText("never")).toBeTruthy();
  const bo = within(rows.getByText("bo").closest("tr") as HTMLElement);
  expect(bo.queryByText("never")).toBeNull();
});

it("says at the field that nobody has the name", async () => {
  const errors = [
    { pointer: "/username", code: "unknown_person", params: {}, detail: "Nobody is called so." },
  ];
  show("", { [`POST ${MEMBERS}`]: () => problem(400, "invalid_input", { errors }) });
  fireEvent.click(await screen.findByText("Add member"));
  await fill("Username", "nobody");
  send("Add member");
  const field = () => screen.getByLabelText("Username").closest(".ant-form-item");
  await waitFor(() => expect(field()?.textContent).toContain("Nobody is called so."));
});

it("opens with the view that its reader has chosen", async () => {
  const view = {
    id: "v1",
    list: "people",
    name: "Ada",
    search: { person: "ada" },
    hidden: [],
    shown: [],
    owner: { id: aMe().id, username: "li.wei", display_name: "" },
    group: null,
    is_opening: true,
    may_change: true,
    may_remove: true,
  };
  const asked = serve({
    "GET /api/v1/users": aPage([ada]),
    "GET /api/v1/groups": aPage([company, vision]),
    "GET /api/v1/saved-views": aPage([view]),
  });
  renderPart(<PeoplePage />, aMe({ platform_role: "platform_admin" }));
  await waitFor(() =>
    expect(asked.some(({ url }) => url.includes("/users") && url.includes("search=ada"))).toBe(
      true,
    ),
  );
  await waitFor(() =>
    expect(screen.getByRole("searchbox", { name: "Search by name" })).toHaveProperty(
      "value",
      "ada",
    ),
  );
});
