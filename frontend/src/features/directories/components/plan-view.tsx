import { Alert } from "antd";
import type { DirectoryPlan, PlannedChange } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import styles from "./directories.module.css";

/** Who gains and loses what by rules that are not in force yet. */
export function PlanView({ plan }: { plan: DirectoryPlan }) {
  const { t } = useTranslation("directories");
  const { changes, changes_total: total, kept, kept_total: keptTotal, unknown_groups } = plan;
  return (
    <section className="stack" aria-label={t("plan.title")} data-testid="directory-plan">
      <strong>{total ? t("plan.changes", { count: total }) : t("plan.nothing")}</strong>
      <PlannedChanges rows={changes} total={total} />
      {keptTotal > 0 && (
        <>
          <p className="quiet">{t("plan.kept", { count: keptTotal })}</p>
          <PlannedChanges rows={kept} total={keptTotal} />
        </>
      )}
      {unknown_groups.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t("plan.unknown", { groups: unknown_groups.join(", ") })}
        />
      )}
    </section>
  );
}

function PlannedChanges({ rows, total }: { rows: readonly PlannedChange[]; total: number }) {
  const { t } = useTranslation("directories");
  const sentence = useSentence();
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys, too
    <ul className={styles.changes} tabIndex={0}>
      {rows.map((row) => (
        <li key={`${row.kind} ${row.username} ${row.group}`} data-kind={row.kind}>
          {sentence(row)}
        </li>
      ))}
      {total > rows.length && <li>{t("plan.more", { count: total - rows.length })}</li>}
    </ul>
  );
}

function useSentence(): (row: PlannedChange) => string {
  const { t } = useTranslation("directories");
  const coded = useCodedText();
  const language = useLanguage();
  const groups = useGroups().data ?? [];
  return ({ kind, username: name, group, before, after }) => {
    const found = groups.find((each) => each.name === group);
    const roles = group ? "role" : "platformRole";
    const named = (role: string) => coded(`people:${roles}.${role || "none"}`) ?? role;
    const where = found ? titleOf(found, language) : group;
    const words = { name, group: where, before: named(before), after: named(after) };
    return t(`plan.${kind}`, words);
  };
}
