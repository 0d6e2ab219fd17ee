import { useTranslation } from "react-i18next";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useNow } from "@/shared/ui/time";
import { indexOfCard } from "../model/held-cards";
import styles from "./reason-list.module.css";
import { useCauseSentence } from "./use-cause-sentence";

type Avoided = WorkloadDetail["avoids"][number];

/** Where the next attempt goes only when there is no other place: where earlier ones have failed. */
export function AvoidedPlaces({ workload: { avoids, allocations } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const causeSentence = useCauseSentence();
  if (avoids.length === 0) return null;
  const placeOf = ({ card, node }: Avoided) => {
    if (card === null) return t("avoids.node", { node: node.name });
    return t("avoids.card", { card: indexOfCard(allocations, card) ?? card, node: node.name });
  };
  return (
    <div>
      <p className={styles.lead}>{t("avoids.title")}</p>
      <ul className={styles.list} aria-label={t("avoids.title")}>
        {avoids.map((avoided) => (
          <li key={`${avoided.node.id} ${avoided.card}`} data-code={avoided.cause}>
            {t("avoids.line", {
              place: placeOf(avoided),
              until: formatWhen(new Date(avoided.until), now, language),
              cause: causeSentence(avoided.cause, {}),
              count: avoided.times,
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}
