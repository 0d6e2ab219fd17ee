import { expect, it } from "vitest";
import { aMe, aWorkload } from "@/testing/factories";
import { mayStop, maySubmitIn } from "./roles";

const work = aWorkload();
const other = { ...work, owner: { ...work.owner, id: "somebody-else" } };
const as = (role: string) => aMe({ memberships: [{ group: work.group, role }] });

it("offers an end to owners, heads of the group and operators, to nobody else", () => {
  expect(mayStop(as("developer"), work)).toBe(true);
  expect(mayStop(as("developer"), other)).toBe(false);
  expect(mayStop(as("viewer"), work)).toBe(false);
  expect(mayStop(as("group_admin"), other)).toBe(true);
  expect(mayStop(aMe({ platform_role: "operator", memberships: [] }), other)).toBe(true);
  expect(mayStop(aMe({ platform_role: "auditor", memberships: [] }), other)).toBe(false);
});

it("offers to submit where somebody works", () => {
  expect(maySubmitIn(as("developer"), work.group.id)).toBe(true);
  expect(maySubmitIn(as("viewer"), work.group.id)).toBe(false);
  expect(maySubmitIn(aMe({ memberships: [] }), work.group.id)).toBe(false);
});
