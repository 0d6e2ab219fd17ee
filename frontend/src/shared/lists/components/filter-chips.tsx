/** What a list is narrowed to: the controls of filters, and a chip for each that is set, which takes it away. */
import { type ReactNode, Suspense } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { SearchField } from "@/shared/ui/controls";
import { prefetched } from "@/shared/ui/opening";
import { useAddress } from "../api/address";
import styles from "./lists.module.css";

const LaterChoice = prefetched(async () => (await import("./opened-choice")).OpenedChoice);

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
    <SearchField
      label={label}
      value={value}
      most={most}
      onSearch={(text) => change({ [name]: text || undefined })}
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

/** One of some words, or any; among the filters that are folded away. */
export function FilterChoice<Value extends string>(props: FilterChoiceProps<Value>) {
  const { label, value, options, onChoose } = props;
  return (
    <FilterField label={label}>
      <Suspense fallback={<span className={styles.later} />}>
        <LaterChoice
          key={value ?? ""}
          label={label}
          value={value}
          options={options}
          onChoose={(chosen) => onChoose(chosen as Value | undefined)}
        />
      </Suspense>
    </FilterField>
  );
}
