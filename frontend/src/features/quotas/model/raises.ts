/** Requests for more: of one's own limits, and of a group's quota. Pure. */
import type { ApprovalInput, MemberLimit, Quota } from "@/shared/api/types";
import { type MemberLimitForm, memberLimitForm, OWN_COUNTS } from "./limits";
import { unitOf } from "./quotas";

const HOUR_S = 3600;

export type MemberRaiseForm = MemberLimitForm & { comment?: string };

/** Only what differs from the present limits; a cleared field asks for no limit of one's own. */
export function memberRaise(form: MemberRaiseForm, limit: MemberLimit): ApprovalInput {
  const before = memberLimitForm(limit);
  const counts = OWN_COUNTS.filter((name) => (form[name] ?? null) !== before[name]);
  const hours = form.hours ?? null;
  const ceilings = limit.ceilings.flatMap(({ quota, resource, ceiling }) => {
    const asked = form.ceilings[quota];
    const wanted = typeof asked === "number" ? Math.round(asked * unitOf(resource)) : ceiling;
    return wanted === ceiling ? [] : [{ quota, ceiling: wanted }];
  });
  return {
    kind: "member_limit",
    group: limit.group.id,
    limits: {
      ...Object.fromEntries(counts.map((name) => [name, form[name] ?? null])),
      ...(hours !== before.hours && {
        time_limit_s_max: hours === null ? null : Math.round(hours * HOUR_S),
      }),
      ...(ceilings.length > 0 && { ceilings }),
    },
    comment: (form.comment ?? "").trim(),
  };
}

export interface QuotaRaiseForm {
  ceiling: number;
  comment?: string;
}

export function quotaRaise({ ceiling, comment = "" }: QuotaRaiseForm, quota: Quota): ApprovalInput {
  return {
    kind: "quota",
    quota: quota.id,
    ceiling: Math.round(ceiling * unitOf(quota.resource)),
    comment: comment.trim(),
  };
}
