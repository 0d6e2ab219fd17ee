import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { placeGroups, placesFor } from "./places";

const group = { id: "g", name: "vision", title_en: "Vision", title_zh: "Vision" };

it.each([
  ["a developer", aMe(), []],
  [
    "a group admin",
    aMe({ memberships: [{ group, role: "group_admin" }] }),
    ["people", "quotas", "studies", "audit"],
  ],
  [
    "an auditor",
    aMe({ platform_role: "auditor" }),
    ["quotas", "pools", "policies", "prices", "site", "audit"],
  ],
  [
    "an operator",
    aMe({ platform_role: "operator" }),
    ["quotas", "pools", "policies", "studies", "prices", "site"],
  ],
  [
    "a platform admin",
    aMe({ platform_role: "platform_admin" }),
    ["people", "directories", "quotas", "pools", "policies", "studies", "prices", "site", "audit"],
  ],
])("shows %s the places of the role", (_, me, keys) => {
  const administration = placeGroups(me).find(({ key }) => key === "administration");
  expect((administration?.places ?? []).map(({ key }) => key)).toEqual(keys);
});

it("has every page once, in five groups for those who run the platform", () => {
  const admin = aMe({ platform_role: "platform_admin" });
  expect(placeGroups(admin).map(({ key }) => key)).toEqual([
    "work",
    "data",
    "cluster",
    "administration",
    "account",
  ]);
  const paths = placesFor(admin).map(({ to }) => to);
  expect(new Set(paths).size).toBe(paths.length);
  expect(placeGroups(aMe()).map(({ key }) => key)).not.toContain("administration");
});

it("leaves out of the navigation what its reader cannot use", () => {
  const keys = (me: Parameters<typeof placesFor>[0]) => placesFor(me).map(({ key }) => key);
  const operator = keys(aMe({ platform_role: "operator", memberships: [] }));
  expect(operator).not.toContain("secrets");
  expect(operator).not.toContain("templates");
  expect(operator).toContain("tokens");
  expect(keys(aMe())).toEqual(expect.arrayContaining(["secrets", "templates"]));
});
