/** The scopes of tokens, by what they are about. Pure. */
import type { TokenInput } from "@/shared/api/types";

export type TokenScope = TokenInput["scopes"][number];

export const AREAS = ["account", "work", "data", "group", "platform"] as const;
export type Area = (typeof AREAS)[number];

/** What a new token may do until more is chosen: say who it is. */
export const SMALLEST_SCOPE: TokenScope = "me.view";

/** Every scope that the API knows: one that is missing here fails the type check. */
const AREA_OF: Record<TokenScope, Area> = {
  "me.view": "account",
  "me.edit": "account",
  "token.manage": "account",
  "secret.view": "account",
  "secret.manage": "account",
  "workload.view": "work",
  "workload.submit": "work",
  "workload.stop": "work",
  "workload.open": "work",
  "workload.order": "work",
  "share.open": "work",
  "template.view": "work",
  "template.manage": "work",
  "image.view": "work",
  "image.save": "work",
  "dataset.view": "data",
  "dataset.manage": "data",
  "volume.view": "data",
  "volume.read": "data",
  "volume.write": "data",
  "volume.manage": "data",
  "group.view": "group",
  "quota.view": "group",
  "budget.edit": "group",
  "usage.view": "group",
  "reservation.view": "group",
  "reservation.edit": "group",
  "request.view": "group",
  "request.make": "group",
  "request.decide": "group",
  "member.manage": "group",
  "member_limit.edit": "group",
  "robot.manage": "group",
  "submission_rules.edit": "group",
  "alarm.view": "group",
  "alarm.acknowledge": "group",
  "audit.view": "group",
  "pool.view": "platform",
  "node.view": "platform",
  "site.view": "platform",
  "alarm.silence": "platform",
  "alarm.manage": "group",
  "study.manage": "group",
  "group.manage": "platform",
  "image.manage": "platform",
  "node.manage": "platform",
  "pool.manage": "platform",
  "price.manage": "platform",
  "quota.edit": "platform",
  "site.manage": "platform",
  "user.manage": "platform",
  "directory.manage": "platform",
};

export function scopesOf(area: Area): TokenScope[] {
  return (Object.keys(AREA_OF) as TokenScope[]).filter((scope) => AREA_OF[scope] === area);
}
