import { Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import { useLanguage } from "@/shared/i18n/language";
import { clockOf, DAYS, dayName, dayOf, minuteOf } from "../model/week";
import styles from "./policy.module.css";

interface WeekMomentProps {
  label: string;
  /** Minute of the week; given and taken by the form. */
  value?: number;
  onChange?: (minute: number) => void;
}

/** A moment of the week: its day and its time of day. */
export function WeekMoment({ label, value = 0, onChange }: WeekMomentProps) {
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
