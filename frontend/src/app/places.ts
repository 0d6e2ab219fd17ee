/** The pages of the navigation in their groups, and the roles that see them. Pure. */
import type { Me } from "@/shared/api/types";
import {
  canReadAudit,
  isGroupAdmin,
  isOperator,
  isPlatformAdmin,
  isStaff,
} from "@/shared/session/roles";

/** Above all groups. */
export const OVERVIEW = { to: "/", key: "overview" } as const;

/** At work in a group: staff by itself submits nothing. */
const isMember = ({ memberships }: Me) => memberships.length > 0;

const WORK = [
  { to: "/notebooks", key: "notebooks" },
  { to: "/jobs", key: "jobs" },
  { to: "/services", key: "services" },
  { to: "/apps", key: "apps" },
  {
    to: "/templates",
    key: "templates",
    isFor: (me: Me) => isMember(me) || isPlatformAdmin(me),
  },
] as const;

const DATA = [
  { to: "/files", key: "files" },
  { to: "/datasets", key: "datasets" },
  { to: "/volumes", key: "volumes" },
  { to: "/images", key: "images" },
] as const;

const CLUSTER = [
  { to: "/queue", key: "queue" },
  { to: "/nodes", key: "nodes" },
  { to: "/reservations", key: "reservations" },
  { to: "/usage", key: "usage" },
  { to: "/alarms", key: "alarms" },
] as const;

const ACCOUNT = [
  { to: "/requests", key: "requests" },
  { to: "/tokens", key: "tokens" },
  { to: "/secrets", key: "secrets", isFor: isMember },
] as const;

/** For those who run the platform or a group of it. */
const ADMINISTRATION = [
  { to: "/people", key: "people", isFor: (me: Me) => isPlatformAdmin(me) || isGroupAdmin(me) },
  { to: "/directories", key: "directories", isFor: isPlatformAdmin },
  { to: "/quotas", key: "quotas", isFor: (me: Me) => isStaff(me) || isGroupAdmin(me) },
  { to: "/pools", key: "pools", isFor: isStaff },
  { to: "/policies", key: "policies", isFor: isStaff },
  { to: "/what-if", key: "studies", isFor: (me: Me) => isOperator(me) || isGroupAdmin(me) },
  { to: "/prices", key: "prices", isFor: isStaff },
  { to: "/site", key: "site", isFor: isStaff },
  { to: "/audit", key: "audit", isFor: canReadAudit },
] as const;

export type NavPlace =
  | typeof OVERVIEW
  | (typeof WORK | typeof DATA | typeof CLUSTER | typeof ADMINISTRATION | typeof ACCOUNT)[number];
export type PlaceKey = NavPlace["key"];

interface PlaceGroup {
  key: "work" | "data" | "cluster" | "administration" | "account";
  places: readonly NavPlace[];
}

/** The groups that a reader sees, by task. */
export function placeGroups(me: Me): PlaceGroup[] {
  const own = (places: readonly NavPlace[]) =>
    places.filter((place) => !("isFor" in place) || place.isFor(me));
  const groups: PlaceGroup[] = [
    { key: "work", places: own(WORK) },
    { key: "data", places: own(DATA) },
    { key: "cluster", places: own(CLUSTER) },
    { key: "administration", places: own(ADMINISTRATION) },
    { key: "account", places: own(ACCOUNT) },
  ];
  return groups.filter(({ places }) => places.length > 0);
}

/** All of them, in their order. */
export function placesFor(me: Me): NavPlace[] {
  return [OVERVIEW, ...placeGroups(me).flatMap(({ places }) => places)];
}
