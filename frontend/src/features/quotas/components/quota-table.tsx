import { Button, Flex } from "antd";
import { useState } from "react";
import type { Quota } from "@/shared/api/types";
import { useGroups, useQuotas } from "@/shared/cluster/api/cluster";
import { QuotaMeter } from "@/shared/cluster/components/quota-meter";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isHeadOf, isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { bothOf, QueryBoundary } from "@/shared/ui/query-states";
import { useRemoveQuota } from "../api/quotas";
import { type QuotaRow, quotaRows } from "../model/quotas";
import { QuotaHelp } from "./quota-help";
import { QuotaRequestButton } from "./quota-request-button";

const LaterQuota = later(async () => (await import("./quota-dialog")).QuotaDialog);
const LaterNewQuota = later(async () => (await import("./quota-dialog")).NewQuotaDialog);

/** The groups in their tree, with what each may use and uses. */
export function QuotaTable() {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const groups = useGroups();
  const quotas = useQuotas(null);
  const me = useMe();
  const [edited, setEdited] = useState<Quota | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const columns = useQuotaColumns(setEdited);
  return (
    <QueryBoundary query={bothOf(groups, quotas)} rows={8} canRetry={false}>
      {([groups, quotas]) => (
        <Panel
          title={t("shares")}
          extra={
            <Flex gap={8}>
              <QuotaHelp what={t("shares")} />
              {isPlatformAdmin(me) && (
                <Button onClick={() => setIsAdding(true)}>{t("addQuota")}</Button>
              )}
            </Flex>
          }
        >
          <DataTable
            label={t("title")}
            columns={columns}
            rows={quotaRows(groups, quotas, language)}
            rowKey={({ key }) => key}
          />
          {edited && <LaterQuota quota={edited} onClose={() => setEdited(null)} />}
          {isAdding && <LaterNewQuota onClose={() => setIsAdding(false)} />}
        </Panel>
      )}
    </QueryBoundary>
  );
}

function useQuotaColumns(onEdit: (quota: Quota) => void): Column<QuotaRow>[] {
  const { t } = useTranslation("quotas");
  const coded = useCodedText();
  const language = useLanguage();
  const me = useMe();
  const remover = useRemoveQuota();
  const labelOf = ({ resource, model, pool }: Quota) =>
    [
      coded(`cluster:quota.resource.${resource}`) ?? resource,
      model,
      pool ? titleOf(pool, language) : t("allPools"),
    ]
      .filter(Boolean)
      .join(" · ");
  const columns: Column<QuotaRow>[] = [
    {
      key: "group",
      title: t("column.group"),
      cell: ({ group, depth, isFirst }) => (
        <span className={isFirst ? "" : "repeated"}>
          <span style={{ paddingInlineStart: depth * 20, display: "inline-block" }}>
            {titleOf(group, language)}
            <span className="second">{group.name}</span>
          </span>
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
          <span className="quiet">{t("noQuota")}</span>
        ),
    },
  ];
  if (!isPlatformAdmin(me)) {
    if (!isGroupAdmin(me)) return columns;
    const request: Column<QuotaRow> = {
      key: "action",
      title: t("column.action"),
      cell: ({ quota }) =>
        quota &&
        isHeadOf(me, quota.group.id) && <QuotaRequestButton quota={quota} what={labelOf(quota)} />,
    };
    return [...columns, request];
  }
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: ({ quota, group }) => {
        if (!quota) return null;
        const words = { group: titleOf(group, language), what: labelOf(quota) };
        return (
          <Flex gap={8} wrap>
            <Button size="small" aria-label={t("editOf", words)} onClick={() => onEdit(quota)}>
              {t("edit")}
            </Button>
            <RemoveButton
              id={quota.id}
              label={t("removeOf", words)}
              question={t("removeQuestion")}
              mutation={remover}
            />
          </Flex>
        );
      },
    },
  ];
}
