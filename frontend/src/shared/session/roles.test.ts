import { expect, it } from "vitest";
import { aMe, aWorkload } from "@/testing/factories";
import { canChange, canStop, canSubmitIn, isMineToOpen } from "./roles";

const work = aWorkload();
const other = { ...work, owner: { ...work.owner, id: "somebody-else" } };
const as = (role: string) => aMe({ memberships: [{ group: work.group, role }] });

it("offers an end to owners, heads of the group and operators, to nobody else", () => {
  expect(canStop(as("developer"), work)).toBe(true);
  expect(canStop(as("developer"), other)).toBe(false);
  expect(canStop(as("viewer"), work)).toBe(false);
  expect(canStop(as("group_admin"), other)).toBe(true);
  expect(canStop(aMe({ platform_role: "operator", memberships: [] }), other)).toBe(true);
  expect(canStop(aMe({ platform_role: "auditor", memberships: [] }), other)).toBe(false);
});

it("offers to submit where somebody works", () => {
  expect(canSubmitIn(as("developer"), work.group.id)).toBe(true);
  expect(canSubmitIn(as("viewer"), work.group.id)).toBe(false);
  expect(canSubmitIn(aMe({ memberships: [] }), work.group.id)).toBe(false);
});

it("offers a start to those who may submit and stop, not to every colleague", () => {
  expect(canChange(as("developer"), work)).toBe(true);
  expect(canChange(as("developer"), other)).toBe(false);
  expect(canChange(as("group_admin"), other)).toBe(true);
  expect(canChange(aMe({ platform_role: "operator", memberships: [] }), other)).toBe(false);
  expect(canChange(aMe({ platform_role: "platform_admin", memberships: [] }), other)).toBe(true);
});

it("offers to open work to its owner only, while at work in the group", () => {
  expect(isMineToOpen(as("developer"), work)).toBe(true);
  expect(isMineToOpen(as("viewer"), work)).toBe(false);
  expect(isMineToOpen(as("group_admin"), other)).toBe(false);
  expect(isMineToOpen(aMe({ platform_role: "platform_admin" }), other)).toBe(false);
});
