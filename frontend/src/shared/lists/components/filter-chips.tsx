/** What a list is narrowed to: the controls of filters, and a chip for each that is set, which takes it away. */
import { Input, Select } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { useAddress } from "../api/address";
import styles from "./lists.module.css";

export interface FilterChip {
  /** Its word in the address. */
  name: string;
  label: string;
  value: string;
}

export function FilterChips({ chips }: { chips: readonly FilterChip[] }) {
  const { t } = useTranslation("lists");
  const { change } = useAddress();
  if (chips.length === 0) return null;
  const without = (removed: readonly FilterChip[]) =>
    change(Object.fromEntries(removed.map(({ name }) => [name, undefined])));
  return (
    <ul className={styles.chips} aria-label={t("chips.label")}>
      {chips.map((chip) => {
        const words = t("chips.one", { label: chip.label, value: chip.value });
        return (
          <li key={chip.name}>
            <span>{words}</span>
            <button
              type="button"
              aria-label={t("chips.remove", { filter: words })}
              onClick={() => without([chip])}
            >
              ×
            </button>
          </li>
        );
      })}
      <li className={styles.clear}>
        <button type="button" onClick={() => without(chips)}>
          {t("chips.clear")}
        </button>
      </li>
    </ul>
  );
}

/** The chips of the filters that are set: their words in the address, labels and values. */
export function chipsOf(
  found: readonly [name: string, label: string, value: string | false | undefined][],
): FilterChip[] {
  return found.flatMap(([name, label, value]) => (value ? [{ name, label, value }] : []));
}

interface FilterSearchProps {
  /** Its word in the address. */
  name: string;
  label: string;
  value: string;
  /** Letters that the server, or the list, looks for at most. */
  most: number;
}

/** Part of a name that a list is searched for. */
export function FilterSearch({ name, label, value, most }: FilterSearchProps) {
  const { change } = useAddress();
  return (
    <Input.Search
      allowClear
      style={{ maxWidth: 280 }}
      key={value}
      aria-label={label}
      placeholder={label}
      maxLength={most}
      defaultValue={value}
      onSearch={(text) => change({ [name]: text.trim() || undefined })}
    />
  );
}

/** A control of a filter below its label. */
export function FilterField({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among its children
    <label className={styles.field}>
      {label}
      {children}
    </label>
  );
}

interface FilterChoiceProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: { value: Value; label: string }[];
  onChoose: (value: Value | undefined) => void;
}

/** One of some words, or any. */
export function FilterChoice<Value extends string>(props: FilterChoiceProps<Value>) {
  const { label, value, options, onChoose } = props;
  const { t } = useTranslation("lists");
  return (
    <FilterField label={label}>
      <Select<Value>
        allowClear
        aria-label={label}
        placeholder={t("filters.any")}
        showSearch={{ optionFilterProp: "label" }}
        {...(value !== undefined && { value })}
        key={value ?? ""}
        options={options}
        onChange={(chosen?: Value) => onChoose(chosen)}
      />
    </FilterField>
  );
}
