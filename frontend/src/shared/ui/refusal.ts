/** Refusals in forms: apart from what every page loads. */
import type { FormInstance } from "antd";
import { type FaultWords, fieldErrorsOf, type NamePath, problemOf } from "@/shared/api/problem";

/** The part of a TanStack Query mutation with which a form is sent. */
interface Sending {
  error: Error | null;
  reset: () => void;
}

/** What the server refused of a form, at its fields and as a whole, until the reader has changed it. */
export function useRefusal<Fields extends object>(
  form: Pick<FormInstance<Fields>, "getFieldsError" | "setFields">,
  ...sendings: readonly Sending[]
) {
  /** Of what was changed, for `onValuesChange`; of all of it before it is sent again. */
  const forget = (changed?: object) => {
    const marked = form.getFieldsError().filter(({ errors }) => errors.length > 0);
    const mended = marked.filter(({ name }) => isAmong(changed, name));
    form.setFields(mended.map(({ name }) => ({ name, errors: [] })) as never);
    for (const { error, reset } of sendings) {
      // What others have saved meanwhile is not mended by typing.
      if (error && !(changed && problemOf(error).code === "changed_by_another")) reset();
    }
  };
  const mark = (error: Error, below?: string, wordsOf?: FaultWords) =>
    form.setFields(fieldErrorsOf(problemOf(error), below, wordsOf) as never);
  return { error: sendings.find(({ error }) => error)?.error ?? null, forget, mark };
}

/** Whether a field is among the values that were changed, or a part of one of them. */
function isAmong(changed: unknown, [first, ...below]: NamePath): boolean {
  if (first === undefined || typeof changed !== "object" || changed === null) return true;
  return first in changed && isAmong((changed as Record<string | number, unknown>)[first], below);
}
