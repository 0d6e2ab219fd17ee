/** What a role lets a person see and change; the server decides, pages only do not tempt. Pure. */
import type { Me } from "@/shared/api/types";

/** Sees the whole platform. */
export function isStaff({ platform_role }: Me): boolean {
  return platform_role !== "";
}

/** Sets quotas and data sets. */
export function isPlatformAdmin({ platform_role }: Me): boolean {
  return platform_role === "platform_admin";
}

/** Looks after at least one group. */
export function isGroupAdmin({ memberships }: Me): boolean {
  return memberships.some(({ role }) => role === "group_admin");
}

/** Nodes and pools are theirs to run. */
export function isOperator({ platform_role }: Me): boolean {
  return platform_role === "platform_admin" || platform_role === "operator";
}
