/** What a role lets a person see and change; pages hide what the server would refuse. Pure. */
import type { Me } from "@/shared/api/types";

/** Sees the whole platform. */
export function isStaff({ platform_role }: Me): boolean {
  return platform_role !== "";
}

/** Sets quotas, data sets and images. */
export function isPlatformAdmin({ platform_role }: Me): boolean {
  return platform_role === "platform_admin";
}

/** Reads the audit log; heads of groups read what was done in theirs. */
export function canReadAudit(me: Me): boolean {
  return me.platform_role === "auditor" || isPlatformAdmin(me) || isGroupAdmin(me);
}

/** Looks after at least one group. */
export function isGroupAdmin({ memberships }: Me): boolean {
  return memberships.some(({ role }) => role === "group_admin");
}

/** Nodes and pools are theirs to run. */
export function isOperator({ platform_role }: Me): boolean {
  return platform_role === "platform_admin" || platform_role === "operator";
}

/** May end this work: its owner while still at work in the group, the group's head, operators. */
export function canStop(me: Me, work: { owner: { id: string }; group: { id: string } }): boolean {
  if (isOperator(me)) return true;
  const role = roleIn(me, work.group.id);
  return role === "group_admin" || (role === "developer" && work.owner.id === me.id);
}

/** May submit work, and start it again, in this group. */
export function canSubmitIn(me: Me, groupId: string): boolean {
  return ["group_admin", "developer"].includes(roleIn(me, groupId));
}

/** May change this work: who may end it and may submit in its group, and the platform's admins. */
export function canChange(me: Me, work: { owner: { id: string }; group: { id: string } }): boolean {
  return isPlatformAdmin(me) || (canStop(me, work) && canSubmitIn(me, work.group.id));
}

/** May open this work and set its schedule: its owner alone, while at work in the group. */
export function isMineToOpen(
  me: Me,
  work: { owner: { id: string }; group: { id: string } },
): boolean {
  return work.owner.id === me.id && (isStaff(me) || canSubmitIn(me, work.group.id));
}

/** Sets limits of members, and decides on requests, in this group. */
export function isHeadOf(me: Me, groupId: string): boolean {
  return roleIn(me, groupId) === "group_admin";
}

function roleIn({ memberships }: Me, groupId: string): string {
  return memberships.find(({ group }) => group.id === groupId)?.role ?? "";
}
