import { useTranslation } from "react-i18next";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useNow } from "@/shared/ui/time";
import { useEvents } from "../api/use-events";
import { evictionsOf } from "../model/evictions";
import styles from "./reason-list.module.css";

/** Each time it had to leave for others: when, for what, and that its place was kept. */
export function EvictionList({ workloadId }: { workloadId: string }) {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const now = useNow();
  const evictions = evictionsOf(useEvents(workloadId).data?.results ?? []);
  if (evictions.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={t("evicted.title")}>
      {evictions.map(({ id, at, cause }) => (
        <li key={id}>
          {t("evicted.line", {
            cause: t(`cause.${cause}`),
            at: formatWhen(new Date(at), now, language),
          })}
        </li>
      ))}
    </ul>
  );
}
