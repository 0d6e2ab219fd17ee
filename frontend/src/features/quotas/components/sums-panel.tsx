import { formatAmount } from "@/shared/cluster/model/quotas";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import type { ScopeSums } from "../model/drafts";
import styles from "./quota-editor.module.css";
import { useScopeWords } from "./quota-words";

/** What all groups are promised together, against what there is; it follows every key. */
export function SumsPanel({ sums }: { sums: readonly ScopeSums[] }) {
  const { t } = useTranslation("quotas");
  return (
    <Panel title={t("sums.title")} testId="quota-sums">
      {sums.length === 0 ? (
        <p className="quiet">{t("sums.none")}</p>
      ) : (
        <ul className={styles.sums}>
          {sums.map((scope) => (
            <li key={`${scope.pool} ${scope.resource}`}>
              <ScopeSum scope={scope} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function ScopeSum({ scope: { pool, resource, total, capacity } }: { scope: ScopeSums }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const words = useScopeWords();
  const say = (value: number) => formatAmount(resource, value, language);
  const usable = capacity?.usable ?? 0;
  const over = total.deserved - usable;
  const part = usable > 0 ? Math.min(100, (100 * total.deserved) / usable) : 100;
  return (
    <>
      <strong>{words({ pool, resource, model: "" })}</strong>
      <span className={styles.track} aria-hidden="true">
        <span data-over={over > 0} style={{ inlineSize: `${part}%` }} />
      </span>
      <span className="num">
        {t("sums.promised", {
          guarantee: say(total.guarantee),
          deserved: say(total.deserved),
          usable: say(usable),
        })}
        {capacity && capacity.installed !== usable && (
          <span className="quiet"> {t("sums.installed", { amount: say(capacity.installed) })}</span>
        )}
        {over > 0 && (
          <strong className={styles.over}> {t("sums.over", { amount: say(over) })}</strong>
        )}
      </span>
    </>
  );
}
