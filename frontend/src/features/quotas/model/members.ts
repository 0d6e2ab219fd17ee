/** Counted limits of one member, as people type them; empty is unlimited. Pure. */
import type {
  GroupLimit,
  GroupLimitInput,
  MemberLimit,
  MemberLimitInput,
} from "@/shared/api/types";

export const COUNTS = [
  "pending_per_user_max",
  "running_per_user_max",
  "environments_per_user_max",
] as const;
type Count = (typeof COUNTS)[number];

export type MemberForm = Record<Count, number | null> & { hours: number | null };

const HOUR_S = 3600;

export function formOfLimits(limits: GroupLimit): MemberForm {
  const { pending_per_user_max, running_per_user_max, environments_per_user_max } = limits;
  const seconds = limits.time_limit_s_max;
  return {
    pending_per_user_max,
    running_per_user_max,
    environments_per_user_max,
    hours: seconds === null ? null : seconds / HOUR_S,
  };
}

/** A cleared field of a form is `undefined` or null: both mean unlimited. */
export function limitsOf({ hours, ...counts }: MemberForm): GroupLimitInput {
  return {
    pending_per_user_max: counts.pending_per_user_max ?? null,
    running_per_user_max: counts.running_per_user_max ?? null,
    environments_per_user_max: counts.environments_per_user_max ?? null,
    time_limit_s_max: typeof hours === "number" ? Math.round(hours * HOUR_S) : null,
  };
}

/** The run time of one member, as people type it. */
export interface OneMemberForm {
  group: string;
  user: string;
  hours: number;
}

export function formOfMember({ group, user, time_limit_s_max }: MemberLimit): OneMemberForm {
  return { group: group.id, user: user.id, hours: time_limit_s_max / HOUR_S };
}

export function memberLimitOf({ group, user, hours }: OneMemberForm): MemberLimitInput {
  return { group, user, time_limit_s_max: Math.round(hours * HOUR_S) };
}
