/** RFC 9457 problems: refusals of the server as errors that pages can show. Pure. */

type Params = Record<string, unknown>;

export interface FieldFault {
  /** JSON pointer (RFC 6901) of the field, e.g. `/slices`. */
  pointer: string;
  code: string;
  params: Params;
  detail: string;
  /** Of the document that was sent, where it was YAML. */
  line?: number;
}

export interface Problem {
  status: number;
  code: string;
  params: Params;
  title: string;
  detail: string;
  errors: FieldFault[];
  requestId: string;
}

export class ProblemError extends Error {
  override readonly name = "ProblemError";

  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** Read the body of a refused request; a body that is no problem document still gives a problem. */
export function readProblem(status: number, body: unknown, requestId: string): Problem {
  const document = isRecord(body) ? body : {};
  return {
    status,
    code: text(document.code) || `http_${status}`,
    params: isRecord(document.params) ? document.params : {},
    title: text(document.title),
    detail: text(document.detail),
    errors: Array.isArray(document.errors) ? document.errors.filter(isRecord).map(readFault) : [],
    requestId: text(document.request_id) || requestId,
  };
}

/** Messages of browsers and the bundler when a chunk of the page's code cannot be loaded. */
const CODE_MISSING = /dynamically imported module|importing a module script|preload CSS/i;

/** Turn anything thrown by a request into a problem; a network failure is `unreachable`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return {
    status: 0,
    code: isUnreachable(error) ? "unreachable" : "page_failed",
    params: {},
    title: "",
    detail: error instanceof Error ? error.message : String(error),
    errors: [],
    requestId: "",
  };
}

/** Whether asking again may help: the server or the way to it failed, not the request. */
export function isRetryable(error: unknown): boolean {
  const { status, code } = problemOf(error);
  return code === "unreachable" || status >= 500 || status === 429;
}

/** Whether a chunk of the page's code could not be loaded. */
export function isCodeMissing(error: unknown): boolean {
  return error instanceof Error && CODE_MISSING.test(error.message);
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.name === "TimeoutError" ||
    isCodeMissing(error) ||
    (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
  );
}

function readFault(fault: Params): FieldFault {
  return {
    pointer: text(fault.pointer),
    code: text(fault.code),
    params: isRecord(fault.params) ? fault.params : {},
    detail: text(fault.detail),
    ...(typeof fault.line === "number" && { line: fault.line }),
  };
}

function isRecord(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// Faults of a refused form, at the fields where they belong.

export type NamePath = (string | number)[];

interface FieldErrors {
  name: NamePath;
  errors: string[];
}

/** `/lending/windows/0/start` → `["lending", "windows", 0, "start"]` (RFC 6901). */
export function namePathOf(pointer: string): NamePath {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : unescaped(part)));
}

/** Says what is wrong with a field, whose pointer begins at the form. */
export type FaultWords = (fault: FieldFault) => string;

/** One entry per field that the server named below a place, in the form library's shape. */
export function fieldErrorsOf(
  { errors }: Problem,
  below = "",
  wordsOf: FaultWords = ({ detail, code }) => detail || code,
): FieldErrors[] {
  const byPointer = new Map<string, string[]>();
  for (const fault of errors) {
    if (!fault.pointer?.startsWith(`${below}/`)) continue;
    const field = fault.pointer.slice(below.length);
    const words = wordsOf({ ...fault, pointer: field });
    byPointer.set(field, [...(byPointer.get(field) ?? []), words]);
  }
  return [...byPointer].map(([pointer, details]) => ({
    name: namePathOf(pointer),
    errors: details,
  }));
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
