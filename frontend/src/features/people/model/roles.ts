/** The roles of people, most powerful first, and who may hand out which. Pure. */
import type { Group, Me } from "@/shared/api/types";
import { isPlatformAdmin } from "@/shared/session/roles";

/** The empty one is everybody's: only what groups give. */
export const PLATFORM_ROLES = ["", "auditor", "operator", "platform_admin"] as const;
export const GROUP_ROLES = ["viewer", "developer", "group_admin"] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];
export type GroupRole = (typeof GROUP_ROLES)[number];

/** Names that the server takes. */
export const USERNAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;
export const GROUP_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Says who belongs to this group. */
export function mayManageMembers(me: Me, group: Group): boolean {
  return isPlatformAdmin(me) || group.role === "group_admin";
}
