import { useTranslation } from "react-i18next";
import type { CellUse } from "../model/cells";
import styles from "./berth-legend.module.css";
import strip from "./berth-strip.module.css";

type Look = CellUse | "lent";

const LOOKS: readonly Look[] = ["mine", "taken", "lent", "free", "broken"];

/** What the looks of the strips mean. */
export function BerthLegend({ uses = LOOKS }: { uses?: readonly Look[] }) {
  const { t } = useTranslation("cluster");
  return (
    <ul className={styles.legend} aria-label={t("legend.title")}>
      {uses.map((use) => (
        <li key={use}>
          <span
            className={`${strip.cell} ${styles.sample}`}
            data-use={use === "lent" ? "taken" : use}
            data-lent={use === "lent" || undefined}
            aria-hidden
          />
          {t(`legend.${use}`)}
        </li>
      ))}
    </ul>
  );
}
