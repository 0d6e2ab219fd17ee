/** Faults of a refused form, at the fields where they belong. Pure. */
import type { Problem } from "./problem";

export type NamePath = (string | number)[];

export interface FieldErrors {
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

/** One entry per field that the server named below a place, in the form library's shape. */
export function fieldErrorsOf({ errors }: Problem, below = ""): FieldErrors[] {
  const byPointer = new Map<string, string[]>();
  for (const { pointer, detail, code } of errors) {
    if (!pointer?.startsWith(`${below}/`)) continue;
    const field = pointer.slice(below.length);
    byPointer.set(field, [...(byPointer.get(field) ?? []), detail || code]);
  }
  return [...byPointer].map(([pointer, details]) => ({
    name: namePathOf(pointer),
    errors: details,
  }));
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
