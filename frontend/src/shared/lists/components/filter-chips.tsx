/** What a list is narrowed to: a chip for each filter, which takes it away, and one for all. */
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
