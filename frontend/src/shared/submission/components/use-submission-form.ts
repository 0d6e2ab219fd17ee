/** The state of one form: its values and faults, the rules for them, and what changes several at once. */
import { Form, type FormInstance } from "antd";
import { use, useEffect, useRef, useState } from "react";
import { fieldErrorsOf, problemOf } from "@/shared/api/problem";
import type { Advised, FieldRule, Pool } from "@/shared/api/types";
import { useRefusal } from "@/shared/ui/refusal";
import type { Submitted } from "../api/submission";
import { useRulesInForce } from "../api/templates";
import { deviceForm } from "../model/devices";
import { hostIn, type Size, sizesIn } from "../model/sizes";
import { defaultName, type SubmissionValues } from "../model/submission";
import {
  fittedOf,
  ruleDefaultsOf,
  settingBehind,
  withRules,
  withTemplate,
} from "../model/templates";
import { TemplateContext, useRuleDefaults } from "./fields";
import type { OneSubmissionProps, SubmissionKind } from "./submission-form";
import { type FieldFaulty, faultyFields, goToField } from "./verdict-panel";

export function useSubmissionForm<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
>(props: OneSubmissionProps<Values, Input, Result>) {
  const { pools, images, group, kind, keep } = props;
  const [form] = Form.useForm<Values>();
  const refusal = useRefusal(form, kind.submission);
  const values = (Form.useWatch([], form) ?? {}) as Partial<Values>;
  const poolNamed = (wanted: string | undefined) => pools.find(({ name }) => name === wanted);
  const pool = poolNamed(values.pool ?? kind.again?.pool) ?? pools[0];
  const [faults, setFaults] = useState<readonly FieldFaulty[]>([]);
  const isTyped = useRef(false);
  const naming = useNaming(form, kind);
  const rules = useRulesInForce(kind.work, values.group ?? group, pool.name);
  const template = use(TemplateContext);
  const fitted = (some: readonly FieldRule[]) =>
    fittedOf(kind.toDraft(form.getFieldsValue()), some);
  const ruled = (some: readonly FieldRule[]) =>
    kind.ofBody({ ...fitted(some), ...ruleDefaultsOf(some) }, props);
  useRuleDefaults(form, rules, ruled, kind.again);
  const locked = [
    ...(template?.locked ?? []),
    ...rules.filter(({ is_locked }) => is_locked).map(({ field }) => field),
  ];
  const take = useTake(form, pool, locked, () => {
    isTyped.current = true;
    form.setFieldsValue(kind.ofBody(fitted(rules), props) as never);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other values are kept
  useEffect(() => {
    if (isTyped.current) keep(form.getFieldsValue(true));
  }, [form, values]);
  const hasRanks = "replicas" in kind.initial;
  const takeSize = ({ pool: { name }, values: { replicas, ...amounts } }: Size) =>
    take(name, { ...amounts, ...(hasRanks && { replicas }) });
  const send = useSending(props, form, rules, {
    onStart: () => refusal.forget(),
    onFaults: setFaults,
    onDone: () => {
      isTyped.current = false;
    },
  });
  return {
    form,
    pool,
    rules,
    values,
    faults,
    start: {
      ...hostIn(pool),
      name: naming.proposed,
      group,
      pool: pool.name,
      image: images[0]?.name,
      time_limit_s: pool.default_time_limit_s,
      ...kind.initial,
      ...kind.again,
    },
    hasRanks,
    takeSize,
    takeAdvice: (advised: Advised) => {
      const models = advised.gpus > 0 && { gpu_models: advised.gpu_models };
      take(advised.pool.name, { ...deviceForm(advised), ...models });
    },
    /** For the form's own events. */
    onChange: (changed: Partial<Values>) => {
      isTyped.current = true;
      refusal.forget(changed);
      naming.follow(changed);
      const other = "pool" in changed && poolNamed(changed.pool);
      // What was enough for a part of a GPU is little for a whole one: a pool begins with its own size.
      const [size] = other ? sizesIn(other, hasRanks) : [];
      if (size) takeSize(size);
    },
    onFields: () => setFaults(faultyFields(form)),
    send,
  };
}

interface SendingEvents {
  onStart: () => void;
  onFaults: (faults: readonly FieldFaulty[]) => void;
  onDone: () => void;
}

/** Submits a filled form under its template and rules. */
function useSending<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
>(
  { kind, keep, onSubmitted }: OneSubmissionProps<Values, Input, Result>,
  form: FormInstance<Values>,
  rules: readonly FieldRule[],
  { onStart, onFaults, onDone }: SendingEvents,
) {
  const template = use(TemplateContext);
  return (filled: Values) => {
    onStart();
    const body = withTemplate(withRules(kind.toInput(filled), rules), template);
    const onError = (error: Error) => onFaults(goToFault(form, error));
    // Heard by a form that the reader has left meanwhile, too.
    void kind.submission.mutateAsync(body, { onSuccess: onSubmitted, onError }).then(
      () => {
        onDone();
        keep(null);
      },
      () => {},
    );
  };
}

/** Marks the fields that the server refused, and goes to the first; returns all that are marked. */
export function goToFault(form: FormInstance, error: Error): FieldFaulty[] {
  const fields = Object.keys(form.getFieldsValue() as object);
  const faults = fieldErrorsOf(problemOf(error)).flatMap(({ name: [setting], errors }) => {
    const name = fields.find((field) => settingBehind(field) === setting);
    return name ? [{ name, errors }] : [];
  });
  const [first] = faults;
  if (!first) return [];
  form.setFields(faults);
  goToField(form, [first.name]);
  return faultyFields(form);
}

/** The name that a form proposes: of what runs, and of the time, until the reader gives one. */
function useNaming<Values extends SubmissionValues, Input extends object, Result extends Submitted>(
  form: FormInstance<Values>,
  { stemOf, initial, again }: SubmissionKind<Values, Input, Result>,
) {
  const [opened] = useState(() => new Date());
  const isGiven = useRef(Boolean(again?.name));
  const nameOf = (values: Partial<Values>) => defaultName(stemOf(values), opened);
  return {
    proposed: nameOf({ ...initial, ...again } as Partial<Values>),
    follow: (changed: object) => {
      if ("name" in changed) isGiven.current = true;
      if (!isGiven.current)
        form.setFieldsValue({ name: nameOf(form.getFieldsValue(true)) } as never);
    },
  };
}

/**
 * Puts a size into the form: first its pool, whose fields begin with their usual amounts, and the amounts
 * as soon as these fields are there. What is locked stays.
 */
export function useTake<Values extends { pool: string }>(
  form: FormInstance<Values>,
  pool: Pool,
  locked: readonly string[],
  onTaken: () => void,
) {
  const [taken, setTaken] = useState<{ pool: string; values: object } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the fields of its pool are there
  useEffect(() => {
    if (taken?.pool !== pool.name) return;
    const { default_time_limit_s, time_limit_s_max } = pool;
    const isTooLong = form.getFieldValue("time_limit_s" as never) > time_limit_s_max;
    const values = { ...taken.values, ...(isTooLong && { time_limit_s: default_time_limit_s }) };
    const open = Object.entries(values).filter(([name]) => !locked.includes(settingBehind(name)));
    form.setFieldsValue(Object.fromEntries(open) as never);
    setTaken(null);
    onTaken();
  }, [form, pool.name, taken]);
  return (name: string, values: object) => {
    form.setFieldsValue({ pool: name } as never);
    setTaken({ pool: name, values });
  };
}
