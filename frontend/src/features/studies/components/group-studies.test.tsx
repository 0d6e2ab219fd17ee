import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe, aNode, aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { aStudy } from "@/testing/studies";
import { idsWithin } from "../model/studies";
import { StudiesPage } from "./studies-page";
import { StudyPage } from "./study-page";

const LAB = { id: "group-1", name: "lab", title_en: "Lab", title_zh: "Lab" };
const TEAM = { id: "group-2", name: "team", title_en: "Team", title_zh: "Team" };
const OTHER = { id: "group-3", name: "other", title_en: "Other", title_zh: "Other" };
const GROUPS = [
  { ...LAB, parent: null, role: "group_admin" as const },
  { ...TEAM, parent: "group-1", role: "group_admin" as const },
  { ...OTHER, parent: null, role: "developer" as const },
];
const HEAD = aMe({ memberships: [{ group: LAB, role: "group_admin" }] });

it("lets group admins ask about the work of their group, without rules of pools", async () => {
  const asked = serve({
    "GET /api/v1/studies": aPage([aStudy({ id: "s", title: "ours", group: LAB })]),
    "GET /api/v1/groups": aPage(GROUPS),
    "GET /api/v1/nodes": aPage([aNode({ id: "node-1", name: "gpu-1" })]),
    "POST /api/v1/studies": aStudy(),
  });
  renderPart(<StudiesPage />, HEAD);
  expect(await screen.findByRole("link", { name: "ours" })).toBeTruthy();
  expect(await screen.findByText("Lab")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Run the story" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "New study" }));
  await userEvent.click(await screen.findByRole("combobox", { name: "Work of" }));
  expect(screen.queryByTitle("Other")).toBeNull();
  await userEvent.click(await screen.findByTitle("Team"));
  await userEvent.click(screen.getByRole("combobox", { name: "Change" }));
  expect(await screen.findByTitle("Another quota of a group")).toBeTruthy();
  expect(screen.queryByTitle("Another rule of a pool")).toBeNull();
  await userEvent.click(screen.getByRole("combobox", { name: "Same as node" }));
  await userEvent.click(await screen.findByTitle("gpu-1"));
  await userEvent.click(screen.getByRole("button", { name: "Run study" }));
  await waitFor(() => expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(true));
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toMatchObject({
    group: "group-2",
    nodes: [{ like: "node-1", count: 1 }],
  });
});

it("says whose figures they are", async () => {
  serve({ "GET /api/v1/pools": aPage([]), "GET /api/v1/groups": aPage(GROUPS) });
  renderPart(<StudyPage study={aStudy({ group: LAB })} />, HEAD);
  expect(await screen.findByText(/All figures are of Lab with the groups below it/)).toBeTruthy();
});

it("finds the groups below one, however they are ordered", () => {
  const tree = [
    { id: "c", parent: "b" },
    { id: "b", parent: "a" },
    { id: "a", parent: null },
    { id: "d", parent: null },
  ];
  expect(idsWithin(tree, "a")).toEqual(new Set(["a", "b", "c"]));
});
