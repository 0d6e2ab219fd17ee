/** The form of a question, and what is sent. Pure. */
import type { StudyInput } from "@/shared/api/types";

export interface Question {
  title?: string;
  days: number;
  kind: "nodes" | "quota";
  like?: string;
  count?: number;
  group?: string;
  pool?: string;
  /** In cards; empty stays as it is. */
  deserved?: number | null;
  ceiling?: number | null;
}

export function questionBody({ title = "", days, kind, ...asked }: Question): StudyInput {
  if (kind === "nodes") {
    return { title, days, nodes: [{ like: asked.like ?? "", count: asked.count ?? 1 }] };
  }
  const { group = "", pool = null, deserved, ceiling } = asked;
  const limits = { ...milli("deserved", deserved), ...milli("ceiling", ceiling) };
  return { title, days, quotas: [{ group, pool, resource: "gpu", ...limits }] };
}

function milli(name: "deserved" | "ceiling", cards: number | null | undefined) {
  return cards == null ? {} : { [name]: Math.round(1000 * cards) };
}
