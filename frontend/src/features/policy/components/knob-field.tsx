import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, InputNumber, Select, Switch } from "antd";
import type { ReactElement } from "react";
import type { Policy, Pool } from "@/shared/api/types";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { clockOf, DAYS, dayName, dayOf, formatWindow, minuteOf } from "@/shared/i18n/week";
import { useConfig, useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { isChanged, type Knob, knobValue, pathOf } from "../model/knobs";
import styles from "./policy.module.css";

interface KnobFieldProps {
  knob: Knob;
  defaults: Policy;
  /** The other pools. */
  pools: readonly Pool[];
}

/** One rule: its name, what it does in a sentence, its value, and the default beside it. */
export function KnobField({ knob, defaults, pools }: KnobFieldProps) {
  const { t } = useTranslation("policy");
  const standard = knobValue(defaults, knob);
  const words = useKnobWords(pools);
  const value: unknown = Form.useWatch(pathOf(knob));
  const isOther = value !== undefined && isChanged(value, standard);
  const about = (
    <>
      {t(`knob.${knob.name}.about`)}
      <span className={`${styles.standard} ${isOther ? styles.changed : ""}`}>
        {t(isOther ? "changedFrom" : "default", { value: words(knob, standard) })}
      </span>
    </>
  );
  const label = t(`knob.${knob.name}.title`);
  if (knob.kind === "windows") {
    return (
      <Form.Item label={label} extra={about} className={styles.wide ?? ""}>
        <WindowFields />
      </Form.Item>
    );
  }
  return (
    <Form.Item name={pathOf(knob)} label={label} extra={about} {...conversionOf(knob)}>
      <KnobControl knob={knob} pools={pools} />
    </Form.Item>
  );
}

/** How the form's value and the control's differ: times are typed in their natural unit. */
function conversionOf(knob: Knob): object {
  if (knob.kind === "flag") return { valuePropName: "checked" };
  if (knob.kind !== "time") return {};
  const { unit_s } = knob;
  return {
    getValueProps: (seconds: unknown) => ({
      value: typeof seconds === "number" ? seconds / unit_s : seconds,
    }),
    normalize: (typed: unknown) => (typeof typed === "number" ? Math.round(typed * unit_s) : typed),
  };
}

/** Passes on what the form gives: value, change handler and id. */
function KnobControl({
  knob,
  pools,
  ...given
}: {
  knob: Exclude<Knob, { kind: "windows" }>;
  pools: readonly Pool[];
}): ReactElement {
  const { t } = useTranslation("policy");
  const coded = useCodedText();
  const language = useLanguage();
  switch (knob.kind) {
    case "flag":
      return <Switch {...given} />;
    case "choice":
      return (
        <Select
          {...given}
          options={knob.words.map((value) => ({
            value,
            label: coded(`policy:choice.${knob.name}.${value}`) ?? value,
          }))}
        />
      );
    case "pools":
      return (
        <Select
          {...given}
          mode="multiple"
          placeholder={t("noPool")}
          options={pools.map((pool) => ({ value: pool.name, label: titleOf(pool, language) }))}
        />
      );
    default:
      return (
        <InputNumber
          {...given}
          inputMode="decimal"
          style={{ width: "100%" }}
          suffix={t(knob.kind === "time" ? `unit.${knob.unit_s}` : `unit.${knob.name}`)}
        />
      );
  }
}

/** The value of a rule in words: `6 hr`, `on`, `none`. */
export function useKnobWords(pools: readonly Pool[]): (knob: Knob, value: unknown) => string {
  const { t } = useTranslation("policy");
  const coded = useCodedText();
  const language = useLanguage();
  const titled = (name: string) => {
    const pool = pools.find((one) => one.name === name);
    return pool ? titleOf(pool, language) : name;
  };
  const say = {
    flag: (value: unknown) => t(value ? "on" : "off"),
    choice: (value: unknown, name: string) =>
      coded(`policy:choice.${name}.${value}`) ?? String(value),
    pools: (value: unknown) => (value as string[]).map(titled).join(", ") || t("noPool"),
    windows: (value: unknown) =>
      (value as Policy["lending"]["windows"])
        .map((window) => formatWindow(window, language))
        .join(", ") || t("wholeWeek"),
    time: (value: unknown) => formatDuration(Number(value), language),
    count: (value: unknown) => formatNumber(Number(value), language),
  } satisfies Record<Knob["kind"], (value: unknown, name: string) => string>;
  return (knob, value) => say[knob.kind](value, knob.name);
}

/** A Monday evening until the next morning. */
const NEW_WINDOW = { start: 20 * 60, end: 24 * 60 + 8 * 60 };

/** The weekly windows in which all idle cards are lent. */
function WindowFields() {
  const { t } = useTranslation("policy");
  const zone = useConfig()?.time_zone;
  const mayEdit = isOperator(useMe());
  return (
    <Form.List name={["lending", "windows"]}>
      {(rows, { add, remove }) => (
        <>
          {zone && <div>{t("siteClock", { zone })}</div>}
          {rows.map(({ key, name }, index) => (
            <div key={key} className={styles.window}>
              <Form.Item name={[name, "start"]}>
                <WeekMoment label={t("windowStart", { number: index + 1 })} />
              </Form.Item>
              <span>{t("until")}</span>
              <Form.Item name={[name, "end"]}>
                <WeekMoment label={t("windowEnd", { number: index + 1 })} />
              </Form.Item>
              {mayEdit && (
                <Button
                  type="text"
                  icon={<DeleteOutlined />}
                  aria-label={t("windowRemove", { number: index + 1 })}
                  onClick={() => remove(name)}
                />
              )}
            </div>
          ))}
          {mayEdit && (
            <Button icon={<PlusOutlined aria-hidden />} onClick={() => add(NEW_WINDOW)}>
              {t("windowAdd")}
            </Button>
          )}
        </>
      )}
    </Form.List>
  );
}

interface WeekMomentProps {
  label: string;
  /** Minute of the week; given and taken by the form. */
  value?: number;
  onChange?: (minute: number) => void;
}

/** A moment of the week: its day and its time of day. */
function WeekMoment({ label, value = 0, onChange }: WeekMomentProps) {
  const { t } = useTranslation("policy");
  const language = useLanguage();
  return (
    <span className={styles.moment}>
      <Select
        aria-label={t("dayOf", { what: label })}
        value={dayOf(value)}
        onChange={(day: number) => onChange?.(minuteOf(day, clockOf(value)))}
        options={DAYS.map((day) => ({ value: day, label: dayName(day, language) }))}
        style={{ width: 128 }}
      />
      <Input
        type="time"
        aria-label={t("timeOf", { what: label })}
        value={clockOf(value)}
        onChange={({ target }) => onChange?.(minuteOf(dayOf(value), target.value))}
        style={{ width: 116 }}
      />
    </span>
  );
}

const REASON_MAX = 300;

/** Why, for the history and the audit log. */
export function PolicyReasonField() {
  const { t } = useTranslation("policy");
  return (
    <Form.Item name="reason" label={t("why")}>
      <Input.TextArea rows={2} maxLength={REASON_MAX} placeholder={t("reasonAbout")} />
    </Form.Item>
  );
}
