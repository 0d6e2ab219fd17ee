/** The kinds of work as pages ask about them: rows of the server's table, and what pages add to them. Pure. */
import { JOB, KINDS, NOTEBOOK, type WorkKind } from "@/shared/api/kinds.gen";

type WorkTerms = (typeof KINDS)[WorkKind];
/** Kinds whose fields somebody fills in: forms, templates and rules are about these. */
export type SubmittedKind = Extract<WorkTerms, { is_prescribed: false }>["kind"];

/** What pages add to a kind that has a form, in the order in which they offer the kinds. */
export const FORMS = {
  [JOB.kind]: { example: "train" },
  [NOTEBOOK.kind]: { example: "notebook" },
} as const satisfies Record<SubmittedKind, { example: string }>;
export const SUBMITTED_KINDS = Object.keys(FORMS) as [SubmittedKind, ...SubmittedKind[]];

/** The row of a kind; a page that is older than its server takes a kind that it does not know for jobs. */
export function termsOf(kind: string): WorkTerms {
  return KINDS[kind as WorkKind] ?? JOB;
}

/** The kind of what a form has submitted; sessions of apps are started by a button. */
export function submittedKind({ kind }: { kind: string }): SubmittedKind {
  const terms = termsOf(kind);
  return terms.is_prescribed ? JOB.kind : terms.kind;
}

/** The route of the pages of a kind. */
export function routeOf(kind: string) {
  return `/${termsOf(kind).page}/$id` as const;
}

/** The route of the form of a kind. */
export function formRouteOf(kind: SubmittedKind) {
  return `/${KINDS[kind].page}/new` as const;
}
