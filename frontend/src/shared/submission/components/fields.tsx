/** The fields that every kind of work is asked for. */
import { ConfigProvider, Form, type FormInstance, Input, InputNumber, Select } from "antd";
import { createContext, type ReactNode, use, useEffect, useRef } from "react";
import type { Dataset, FieldRule, GroupRef, Image, Pool, Template } from "@/shared/api/types";
import { useDatasets } from "@/shared/cluster/api/cluster";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { usePlaceOf } from "@/shared/session/me";
import { arePorts, PORTS_MAX, SILENCE_CHOICES, timeLimitsOf } from "../model/submission";
import { narrowed, ruleRangesOf, scaleOf, settingBehind } from "../model/templates";
import styles from "./submission.module.css";

const LENGTH_MAX = 63;

/** Starts with a letter or digit of any script; hides nothing and is no path. */
const NAME = /^['‘’]?[\p{L}\p{N}][\p{L}\p{N}\p{Mn}\p{Mc} ._()（）'‘’\-‐‑־·‧・･׳״\u200c\u200d]*$/u; // locale-check: characters of names

export function NameField() {
  const { t } = useTranslation("submission");
  return (
    <Form.Item
      name="name"
      label={t("name")}
      layout="horizontal"
      colon={false}
      className={styles.title ?? ""}
      rules={[
        { required: true, message: t("nameMissing") },
        { max: LENGTH_MAX, message: t("nameTooLong", { max: LENGTH_MAX }) },
        { pattern: NAME, message: t("nameWrong") },
      ]}
    >
      <Input autoComplete="off" variant="underlined" />
    </Form.Item>
  );
}

/** For which group; hidden where there is nothing to choose. */
export function ForGroupField({ groups }: { groups: readonly GroupRef[] }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  return (
    <Form.Item
      name="group"
      label={t("group")}
      layout="horizontal"
      colon={false}
      hidden={groups.length < 2}
    >
      <Select
        disabled={useIsLocked("group")}
        options={groups.map((group) => ({ value: group.name, label: titleOf(group, language) }))}
      />
    </Form.Item>
  );
}

/** In which pool; hidden where there is nothing to choose. */
export function PoolField({ pools }: { pools: readonly Pool[] }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  return (
    <Form.Item name="pool" label={t("pool")} hidden={pools.length < 2}>
      <Select
        disabled={useIsLocked("pool")}
        options={pools.map((pool) => ({ value: pool.name, label: titleOf(pool, language) }))}
      />
    </Form.Item>
  );
}

/** The images to choose from, each with what it is for. */
export function ImageField({ images }: { images: readonly Image[] }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const allowed = useAllowed(
    "image",
    images.map(({ name }) => name),
  );
  const offered = images.filter(({ name }) => allowed.includes(name));
  return (
    <Form.Item
      name="image"
      label={t("image")}
      layout="horizontal"
      colon={false}
      rules={[{ required: true, message: t("imageMissing") }]}
      extra={<RuleNote field="image" />}
    >
      <Select
        showSearch={{ optionFilterProp: "label" }}
        options={offered.map((image) => ({
          value: image.name,
          label: titleOf(image, language),
          about: language === "zh-CN" ? image.description_zh : image.description_en,
        }))}
        optionRender={({ data }) => (
          <>
            {data.label} <span className={styles.optionAbout}>{data.about}</span>
          </>
        )}
      />
    </Form.Item>
  );
}

/** Whether the fold around is open, or was: what only a reader of its fields needs is read then. */
export const UnfoldedContext = createContext(true);

const DATASETS_MAX = 16;

/** The data sets of the group to choose from; hidden while none are known, so that chosen ones are kept until then. */
export function DatasetField({ group }: { group: GroupRef | undefined }) {
  const { t } = useTranslation("submission");
  const placeOf = usePlaceOf();
  const datasets = useDatasets(group?.id).data ?? [];
  return (
    <Form.Item name="datasets" label={t("datasets")} hidden={datasets.length === 0}>
      <Select
        mode="multiple"
        maxCount={DATASETS_MAX}
        allowClear
        placeholder={t("datasetsAbout", { path: placeOf("/data") })}
        options={datasets.flatMap(datasetOptions)}
      />
    </Form.Item>
  );
}

/** The newest version by its name alone, then each of those before it. */
function datasetOptions({ name, description, newest, usable }: Dataset) {
  const older = usable
    .filter(({ number }) => number !== newest)
    .map(({ number, alias, note }) => {
      const value = `${name}@${number}`;
      return { value, label: alias ? `${value} (${alias})` : value, title: note || description };
    });
  return newest === null ? [] : [{ value: name, label: name, title: description }, ...older];
}

/** Ports of the work's own servers that can be opened in the browser. */
export function PortsField({ about }: { about: string }) {
  const { t } = useTranslation("submission");
  const check = (_: unknown, ports: readonly string[] = []) =>
    arePorts(ports) ? Promise.resolve() : Promise.reject(new Error(t("ports.wrong")));
  return (
    <Form.Item name="ports" label={t("ports.label")} extra={about} rules={[{ validator: check }]}>
      <Select
        mode="tags"
        open={false}
        suffixIcon={null}
        maxCount={PORTS_MAX}
        tokenSeparators={[","]}
        placeholder={t("ports.example")}
      />
    </Form.Item>
  );
}

/** What happens while the node of the work is not heard. */
export function SilenceField() {
  const { t } = useTranslation("submission");
  return (
    <Form.Item
      name="silence"
      initialValue="pool"
      label={t("silence.label")}
      extra={
        <>
          {t("silence.about")}
          <RuleNote field="silence" />
        </>
      }
    >
      <Select options={SILENCE_CHOICES.map((value) => ({ value, label: t(`silence.${value}`) }))} />
    </Form.Item>
  );
}

interface CountFieldProps {
  name: string;
  label: string;
  max: number;
  min?: number;
  /** Whole numbers unless the step or the least is a fraction. */
  step?: number;
  help?: string;
  /** The initial value, set again each time that the field appears. */
  initial?: number;
  /** May be left empty. */
  isOptional?: boolean;
  /** What an empty field means. */
  hint?: string;
  /** Another field whose value changes these bounds. */
  dependsOn?: string;
  /** What to do where no number within the bounds will do. */
  otherwise?: string;
}

const DIGITS_MAX = 4;

/** An amount with its bounds, checked in place. */
export function CountField(props: CountFieldProps) {
  const { name, label, step = 1, help, initial, hint, dependsOn } = props;
  const { min, max, isLocked } = useNumberTerms(name, props.min ?? 1, props.max);
  const { isOptional = false, otherwise = "" } = props;
  const { t } = useTranslation("submission");
  const [from, to] = [min, max].map((bound) => Number(bound.toFixed(DIGITS_MAX)));
  const message = [t("outOfRange", { min: from, max: to }), otherwise].filter(Boolean).join(" ");
  const isWhole = Number.isInteger(step) && Number.isInteger(props.min ?? 1);
  return (
    <Form.Item
      name={name}
      label={label}
      extra={
        <>
          {help}
          <RuleNote field={settingBehind(name)} />
        </>
      }
      {...(initial !== undefined && { initialValue: initial })}
      {...((initial !== undefined || isOptional) && { preserve: false })}
      {...(dependsOn && { dependencies: [dependsOn] })}
      rules={[
        { required: !isOptional, message },
        { type: isWhole ? "integer" : "number", min, max, message },
      ]}
    >
      <InputNumber
        {...(isLocked && { disabled: true })}
        step={step}
        inputMode="decimal"
        placeholder={hint}
        style={{ width: "100%" }}
      />
    </Form.Item>
  );
}

/** After how long the work is stopped at the latest. */
export function TimeLimitField({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const chosen: number | undefined = Form.useWatch("time_limit_s");
  const { min, max, isLocked } = useNumberTerms("time_limit_s", 0, pool.time_limit_s_max);
  const offered = timeLimitsOf(pool, chosen).filter((limit) => limit >= min && limit <= max);
  return (
    <Form.Item name="time_limit_s" label={t("timeLimit")} extra={<RuleNote field="time_limit_s" />}>
      <Select
        disabled={isLocked}
        options={offered.map((seconds) => ({
          value: seconds,
          label: formatDuration(seconds, language),
        }))}
      />
    </Form.Item>
  );
}

// What the template of a form and rules lock, and the bounds that they set.

/** The template that the form around was opened with; null without one. */
export const TemplateContext = createContext<Template | null>(null);

/** Whether one of these fields of the API is locked, by the template or by a rule. */
export function useIsLocked(...settings: string[]): boolean {
  const ruled = use(RulesContext).filter(({ is_locked }) => is_locked);
  const locked = [...(use(TemplateContext)?.locked ?? []), ...ruled.map(({ field }) => field)];
  return settings.some((name) => locked.includes(name));
}

/** Its inputs cannot be changed while the template, or a rule, locks one of these fields. */
export function Lockable(props: { settings: readonly string[]; children: ReactNode }) {
  const { settings, children } = props;
  const isLocked = useIsLocked(...settings);
  return <ConfigProvider {...(isLocked && { componentDisabled: true })}>{children}</ConfigProvider>;
}

/** Whether the template or a rule wants one of these fields filled in: not empty, and not zero. */
export function useIsWanted(settings: readonly string[]): boolean {
  const ranges = use(TemplateContext)?.ranges ?? {};
  const required = use(RulesContext).filter(({ is_required }) => is_required);
  const isAbove = (name: string) => (ranges[name]?.min ?? 0) > 0;
  return settings.some(isAbove) || required.some(({ field }) => settings.includes(field));
}

/** Bounds of a number of the form, and whether it is locked. */
export function useNumberTerms(field: string, min: number, max: number) {
  const ranges = use(TemplateContext)?.ranges ?? {};
  const ruled = ruleRangesOf(use(RulesContext));
  const isLocked = useIsLocked(settingBehind(field));
  return { ...narrowed(field, narrowed(field, { min, max }, ruled), ranges), isLocked };
}

// What rules of groups and pools fill in, lock and bound, and whose they are.

/** The rules for the group and pool that the form around has chosen. */
export const RulesContext = createContext<readonly FieldRule[]>([]);

/** What the rules say about one field of the API. */
export function useRule(field: string): FieldRule | undefined {
  return use(RulesContext).find((rule) => rule.field === field);
}

/** Those of these values of a field that the rules allow. */
export function useAllowed<Word extends string>(field: string, words: readonly Word[]): Word[] {
  const choices = useRule(field)?.choices ?? null;
  return words.filter((word) => choices === null || choices.includes(word));
}

/** Under a field: what a rule says about it, and whose it is; nothing without one. */
export function RuleNote({ field }: { field: string }) {
  const { t } = useTranslation("rules");
  const language = useLanguage();
  const rule = useRule(field);
  if (!rule) return null;
  const { min, max, is_locked, is_required, choices } = rule;
  const names = rule.sources.map((source) =>
    t(`source.${source.scope}`, { name: titleOf(source, language) }),
  );
  const by = new Intl.ListFormat(language).format(names);
  const words = (amount: number) =>
    field === "time_limit_s"
      ? formatDuration(amount, language)
      : formatNumber(amount / scaleOf(field), language, DIGITS_MAX);
  if (is_locked) return <div>{t("note.locked", { by })}</div>;
  if (min !== null && max !== null)
    return <div>{t("note.between", { min: words(min), max: words(max), by })}</div>;
  if (min !== null) return <div>{t("note.atLeast", { min: words(min), by })}</div>;
  if (max !== null) return <div>{t("note.atMost", { max: words(max), by })}</div>;
  if (choices !== null) return <div>{t("note.choices", { by })}</div>;
  return is_required ? <div>{t("note.required", { by })}</div> : null;
}

/**
 * Fills defaults of rules into a form when they are known, and again where group or pool change:
 * what is locked always, anything else unless it was typed, or came with what the form began with.
 */
export function useRuleDefaults<Values extends object>(
  form: FormInstance<Values>,
  rules: readonly FieldRule[],
  valuesOf: (rules: readonly FieldRule[]) => Partial<Values>,
  began: object | undefined,
) {
  const last = useRef<Record<string, unknown>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other rules fill in again
  useEffect(() => {
    const locked = valuesOf(rules.filter(({ is_locked }) => is_locked));
    // What was filled in counts as touched, too.
    const isTyped = (name: string) =>
      form.isFieldTouched(name as never) &&
      form.getFieldValue(name as never) !== last.current[name];
    const open = Object.entries(valuesOf(rules)).filter(
      ([name]) => !(isTyped(name) || (began && name in began)),
    );
    const filled = { ...Object.fromEntries(open), ...locked };
    last.current = filled;
    if (Object.keys(filled).length > 0)
      form.setFieldsValue(filled as Parameters<typeof form.setFieldsValue>[0]);
  }, [form, rules]);
}
