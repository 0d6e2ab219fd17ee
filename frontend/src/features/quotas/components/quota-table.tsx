import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Quota } from "@/shared/api/types";
import { useQuotas } from "@/shared/cluster/api/use-quotas";
import { QuotaMeter } from "@/shared/cluster/components/quota-meter";
import { useCodedText } from "@/shared/i18n/coded-text";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Loading } from "@/shared/ui/loading";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { useGroups } from "../api/use-groups";
import { type QuotaRow, quotaRows } from "../model/tree";
import { QuotaDialog } from "./quota-dialog";
import styles from "./quotas.module.css";

/** The groups in their tree, with what each may use and uses. */
export function QuotaTable() {
  const { t } = useTranslation("quotas");
  const groups = useGroups();
  const quotas = useQuotas(null);
  const [edited, setEdited] = useState<Quota | null>(null);
  const columns = useColumns(setEdited);
  if (groups.isPending || quotas.isPending) return <Loading rows={8} />;
  if (!groups.data || !quotas.data) return <ProblemAlert error={groups.error ?? quotas.error} />;
  return (
    <>
      <DataTable
        label={t("title")}
        columns={columns}
        rows={quotaRows(groups.data, quotas.data)}
        rowKey={({ key }) => key}
      />
      {edited && <QuotaDialog quota={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function useColumns(onEdit: (quota: Quota) => void): Column<QuotaRow>[] {
  const { t } = useTranslation("quotas");
  const coded = useCodedText();
  const language = useLanguage();
  const me = useMe();
  const labelOf = ({ resource, pool }: Quota) =>
    [
      coded(`cluster:quota.resource.${resource}`) ?? resource,
      pool ? titleOf(pool, language) : t("allPools"),
    ].join(" · ");
  const columns: Column<QuotaRow>[] = [
    {
      key: "group",
      title: t("column.group"),
      cell: ({ group, depth, isFirst }) =>
        isFirst && (
          <span style={{ paddingInlineStart: depth * 20, display: "inline-block" }}>
            {group.title}
            <span className={styles.second}>{group.name}</span>
          </span>
        ),
    },
    {
      key: "use",
      title: t("column.use"),
      cell: ({ quota }) =>
        quota ? (
          <QuotaMeter quota={quota} label={labelOf(quota)} isDetailed />
        ) : (
          <span className={styles.none}>{t("noQuota")}</span>
        ),
    },
  ];
  if (!isPlatformAdmin(me)) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: ({ quota, group }) =>
        quota && (
          <Button
            size="small"
            aria-label={t("editOf", { group: group.title, what: labelOf(quota) })}
            onClick={() => onEdit(quota)}
          >
            {t("edit")}
          </Button>
        ),
    },
  ];
}
