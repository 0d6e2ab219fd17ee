/** The conditions of a query: loading, empty, failed; and problems in words, in forms at their fields. */
import { Alert, Button, type FormInstance } from "antd";
import type { ReactNode } from "react";
import { namePathOf, type Problem, problemOf } from "@/shared/api/problem";
import { formatWhen } from "@/shared/i18n/format";
import { type Language, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useIsLost } from "@/shared/live/live";
import { useKnownReason } from "@/shared/workload/components/sentences";
import { useMessages } from "./messages";
import { useIsSlow } from "./opening";
import styles from "./ui.module.css";

/** A skeleton, but only for waits that a reader notices; words while nothing can arrive. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const { t } = useTranslation("ui");
  const isSlow = useIsSlow();
  const isLost = useIsLost();
  return (
    <div
      ref={isLost ? undefined : holdBack}
      role="status"
      aria-label={t("loading")}
      data-loading={isLost ? undefined : ""}
    >
      {isSlow && !isLost && <Skeleton rows={rows} />}
      {isSlow && isLost && <p className={styles.waiting}>{t("waitingForConnection")}</p>}
    </div>
  );
}

/**
 * Mark all parts of stacks that `box` stands in: what is below them is not shown yet (`app.css`).
 *
 * `:has()` would do without, and costs 20 s where 10,000 lines of a log come in at once.
 */
function holdBack(box: HTMLElement | null): () => void {
  const parts: Element[] = [];
  let part = box?.closest(PART);
  for (; part; part = part.parentElement?.closest(PART)) parts.push(part);
  for (const each of parts) count(each, 1);
  return () => {
    for (const each of parts) count(each, -1);
  };
}

const PART = ".stack > *";
const WAITS = "data-waits";

function count(part: Element, change: number): void {
  const waits = Number(part.getAttribute(WAITS)) + change;
  if (waits > 0) part.setAttribute(WAITS, String(waits));
  else part.removeAttribute(WAITS);
}

/** Grey lines about as high as what will stand there. */
function Skeleton({ rows }: { rows: number }) {
  return (
    <div className={styles.skeleton}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike
        <span key={row} />
      ))}
    </div>
  );
}

interface EmptyStateProps {
  title: string;
  text: string;
  action?: ReactNode;
  /** When there is nothing else on the page, its title is the page's. */
  isPage?: boolean;
}

/** An empty page or panel: what it is for, and the one next action. */
export function EmptyState({ title, text, action, isPage = false }: EmptyStateProps) {
  const Title = isPage ? "h1" : "h2";
  return (
    <div className={styles.empty} data-testid="empty-state">
      <svg
        viewBox="0 0 96 28"
        width="96"
        height="28"
        aria-hidden="true"
        className={styles.emptyArt}
      >
        <rect x="1" y="1" width="94" height="26" rx="5" />
        <path d="M24.5 1v26M48 1v26M71.5 1v26" />
      </svg>
      <Title>{title}</Title>
      <p>{text}</p>
      {action}
    </div>
  );
}

interface ProblemAlertProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  /** The form whose fields show their own faults already. */
  form?: Pick<FormInstance, "getFieldsError">;
}

/** A problem as a sentence, with the fields that were refused and the request id for support. */
export function ProblemAlert({ error, onRetry, form }: ProblemAlertProps) {
  const { t } = useTranslation("ui");
  const describe = useProblemText();
  const placed = usePlaceWords();
  const problem = problemOf(error);
  const marked = form?.getFieldsError().filter(({ errors }) => errors.length > 0) ?? [];
  const unmarked = problem.errors.filter(
    ({ pointer }) => !marked.some(({ name }) => pointer.endsWith(`/${name.join("/")}`)),
  );
  const isAtFields = problem.errors.length > 0 && unmarked.length === 0;
  const title = isAtFields ? t("markedFields") : describe(problem);
  // A fault that is the whole problem is the title already.
  const faults = unmarked.filter(({ detail, line }) => line || detail !== title);
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={title}
      action={onRetry && <Button onClick={onRetry}>{t("retry")}</Button>}
      description={
        <>
          {faults.length > 0 && (
            <ul className={styles.problemFaults}>
              {faults.map((fault) => (
                <li key={`${fault.pointer}${fault.code}`}>
                  {fault.line && `${t("line", { line: fault.line })} `}
                  {fault.pointer
                    ? t("fault", { place: placed(fault.pointer), detail: fault.detail })
                    : fault.detail}
                </li>
              ))}
            </ul>
          )}
          <details className={styles.problemDetails}>
            <summary>{t("details")}</summary>
            <code>{problem.code}</code>
            {problem.requestId && (
              <>
                {" · "}
                {t("requestId")} <code>{problem.requestId}</code>
              </>
            )}
          </details>
        </>
      }
    />
  );
}

/** Where a fault is, by the names in forms and files: `GPUs`, `Row 2, ceiling`, `Members 1, Person`. */
function usePlaceWords(): (pointer: string) => string {
  const { t } = useTranslation("ui");
  const coded = useCodedText();
  const named = (field: string) =>
    coded(`submission:template.field.${field}`) ?? coded(`api:field.${field}`) ?? field;
  return (pointer) => {
    const [first = "", ...below] = namePathOf(pointer);
    // Rows are counted by whoever wrote the file, which has heads of its own for its columns.
    if (first === "rows") {
      return [t("row", { row: below.shift() }), ...below].filter(Boolean).join(", ");
    }
    const words: string[] = [];
    for (const part of [first, ...below]) {
      if (typeof part === "string") words.push(named(part));
      else words.push(`${words.pop() ?? ""} ${part + 1}`.trim());
    }
    return words.filter(Boolean).join(", ");
  };
}

/** The part of a TanStack Query result that these components use. */
export interface QueryLike<Data> {
  data: Data | undefined;
  isPending: boolean;
  error: Error | null;
  refetch: () => unknown;
}

interface QueryBoundaryProps<Data> {
  query: QueryLike<Data>;
  /** Lines of the skeleton, about as high as what will stand there. */
  rows?: number;
  /** Offers to ask again after a failure. */
  canRetry?: boolean;
  children: (data: Data) => ReactNode;
}

/** A skeleton while a query loads, the problem when it failed, else `children` of its data. */
export function QueryBoundary<Data>(props: QueryBoundaryProps<Data>) {
  const { query, rows = 4, canRetry = true, children } = props;
  if (query.isPending) return <Loading rows={rows} />;
  if (query.data !== undefined) return children(query.data);
  const retry = () => void query.refetch();
  return <ProblemAlert error={query.error} {...(canRetry && { onRetry: retry })} />;
}

/** Two queries as one, for what can only be shown with both. */
export function bothOf<One, Other>(
  one: QueryLike<One>,
  other: QueryLike<Other>,
): QueryLike<[One, Other]> {
  const isThere = one.data !== undefined && other.data !== undefined;
  return {
    data: isThere ? [one.data as One, other.data as Other] : undefined,
    isPending: one.isPending || other.isPending,
    error: one.error ?? other.error,
    refetch: () => Promise.all([one.refetch(), other.refetch()]),
  };
}

/** The sentence for a problem: our text for its code, else the server's, else a general one. */
export function useProblemText(): (problem: Problem) => string {
  const { t } = useTranslation("api");
  const coded = useCodedText();
  const reason = useKnownReason();
  const language = useLanguage();
  return ({ code, params, detail, title, status }) =>
    coded(`api:problem.${code}`, withMoment(params, language)) ??
    reason({ code, params }) ??
    (detail || title || t("unexplained", { status }));
}

/** When somebody changed it, by the reader's clock. */
function withMoment({ changed_at: at, ...params }: Problem["params"], language: Language) {
  return typeof at === "number"
    ? { ...params, at: formatWhen(new Date(at), new Date(), language) }
    : params;
}

/** Shows in passing why something was refused: `onError` of a mutation without a form. */
export function useProblemMessage(): (error: Error) => void {
  const messages = useMessages();
  const describe = useProblemText();
  return (error) => messages.error(describe(problemOf(error)));
}
