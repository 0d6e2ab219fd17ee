import { expect, it } from "vitest";
import { aMe, aWorkload } from "@/testing/factories";
import { canStop, canSubmitIn } from "./roles";

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
