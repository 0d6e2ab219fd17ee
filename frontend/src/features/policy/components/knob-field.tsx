import { Form, InputNumber, Select, Switch } from "antd";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import type { Policy, Pool } from "@/shared/api/types";
import { titleOf, useCodedText, useLanguage } from "@/shared/i18n/language";
import { isChanged, type Knob, knobValue, pathOf } from "../model/knobs";
import styles from "./policy.module.css";
import { useKnobWords } from "./use-knob-words";
import { WindowFields } from "./window-fields";

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
      <Control knob={knob} pools={pools} />
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
function Control({
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
