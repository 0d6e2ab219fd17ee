import type { WorkloadState } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { StateTag } from "@/shared/workload/components/tags";
import type { Found } from "../model/entries";
import styles from "./palette.module.css";

interface FoundListProps {
  /** Of the list; its options have it with their number. */
  id: string;
  found: readonly Found[];
  /** Which of them is marked. */
  at: number;
  onMark: (index: number) => void;
  onChoose: (found: Found) => void;
}

/** What can be chosen, in groups, below the field that has the focus and the keys. */
export function FoundList({ id, found, at, onMark, onChoose }: FoundListProps) {
  const { t } = useTranslation("palette");
  return (
    <div id={id} role="listbox" aria-label={t("found")} className={styles.found}>
      {found.map((each, index) => (
        <div key={each.key} role="presentation">
          {each.group !== found[index - 1]?.group && (
            <div className={styles.group} role="presentation">
              {t(`group.${each.group}`)}
            </div>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys */}
          <div
            id={`${id}${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={styles.entry}
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: "nearest" });
            }}
            onMouseMove={() => onMark(index)}
            onClick={() => onChoose(each)}
          >
            <span className={styles.label}>{each.label}</span>
            {each.detail && <span className="second">{each.detail}</span>}
            {each.state && <StateTag state={each.state as WorkloadState} />}
          </div>
        </div>
      ))}
    </div>
  );
}
