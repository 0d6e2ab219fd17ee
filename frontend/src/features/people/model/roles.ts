/** Roles of people on the platform and in groups. Pure. */
import type { Group, Me } from "@/shared/api/types";
import { isPlatformAdmin } from "@/shared/session/roles";

/** The empty role is the normal one: only what memberships give. */
export const PLATFORM_ROLES = ["", "auditor", "operator", "platform_admin"] as const;
export const GROUP_ROLES = ["viewer", "developer", "group_admin"] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];
export type GroupRole = (typeof GROUP_ROLES)[number];

/** Names that the server takes. */
export const USERNAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;
export const GROUP_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** May add members to this group, change and remove them. */
export function canManageMembers(me: Me, group: Group): boolean {
  return isPlatformAdmin(me) || group.role === "group_admin";
}
