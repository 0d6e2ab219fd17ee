/** The pages of the navigation, and the roles that see them. Pure. */
import type { Me } from "@/shared/api/types";
import {
  canReadAudit,
  isGroupAdmin,
  isOperator,
  isPlatformAdmin,
  isStaff,
} from "@/shared/session/roles";

export const PLACES = [
  { to: "/", key: "overview" },
  { to: "/notebooks", key: "notebooks" },
  { to: "/jobs", key: "jobs" },
  { to: "/apps", key: "apps" },
  { to: "/templates", key: "templates" },
  { to: "/files", key: "files" },
  { to: "/volumes", key: "volumes" },
  { to: "/datasets", key: "datasets" },
  { to: "/images", key: "images" },
  { to: "/queue", key: "queue" },
  { to: "/reservations", key: "reservations" },
  { to: "/nodes", key: "nodes" },
  { to: "/usage", key: "usage" },
  { to: "/alarms", key: "alarms" },
  { to: "/requests", key: "requests" },
  { to: "/tokens", key: "tokens" },
  { to: "/secrets", key: "secrets" },
] as const;

/** Listed apart, for those who run the platform or a group of it. */
const ADMIN_PLACES = [
  { to: "/people", key: "people", isFor: (me: Me) => isPlatformAdmin(me) || isGroupAdmin(me) },
  { to: "/quotas", key: "quotas", isFor: (me: Me) => isStaff(me) || isGroupAdmin(me) },
  { to: "/pools", key: "pools", isFor: isStaff },
  { to: "/policies", key: "policies", isFor: isStaff },
  { to: "/what-if", key: "studies", isFor: isOperator },
  { to: "/prices", key: "prices", isFor: isStaff },
  { to: "/site", key: "site", isFor: isStaff },
  { to: "/audit", key: "audit", isFor: canReadAudit },
] as const;

export type PlaceKey = (typeof PLACES | typeof ADMIN_PLACES)[number]["key"];

export function adminPlaces(me: Me) {
  return ADMIN_PLACES.filter(({ isFor }) => isFor(me));
}
