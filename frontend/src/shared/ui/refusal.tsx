/** Refusals in forms: apart from what every page loads. */
import { Button, type FormInstance } from "antd";
import { useState } from "react";
import { type FaultWords, fieldErrorsOf, type NamePath, problemOf } from "@/shared/api/problem";
import { useTranslation } from "@/shared/i18n/language";

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

interface SavedMeanwhileProps<Fields extends object> {
  error: Error;
  form: FormInstance<Fields>;
  /** Another version is saved than the form was filled from; its initial values are of that one. */
  isOutdated: boolean;
  /** One's own edits; without it the fields that were touched. */
  edits?: () => Partial<Fields>;
  /** The reader has looked at it, and may replace it now. */
  onSeen: () => void;
}

/** After a refusal because others have saved since: what is saved, and one's own edits, in turn. */
export function SavedMeanwhile<Fields extends object>(props: SavedMeanwhileProps<Fields>) {
  const { error, form, isOutdated, edits, onSeen } = props;
  const { t } = useTranslation("ui");
  const [mine, setMine] = useState<Partial<Fields> | null>(null);
  if (problemOf(error).code !== "changed_by_another" || !(isOutdated || mine)) return null;
  const showSaved = () => {
    setMine(edits?.() ?? form.getFieldsValue(true, (meta) => meta?.touched ?? false));
    form.resetFields();
    onSeen();
  };
  const backToMine = () => {
    form.setFieldsValue(mine as never);
    setMine(null);
  };
  return (
    <Button onClick={mine ? backToMine : showSaved}>{t(mine ? "backToMine" : "showSaved")}</Button>
  );
}
