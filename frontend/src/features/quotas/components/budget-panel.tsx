import { Button, Flex, Form, InputNumber, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Budget, BudgetInput } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Meter } from "@/shared/ui/meter";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useBudgets, useRemoveBudget, useSetBudget } from "../api/quotas";
import { type BudgetForm, budgetForm, budgetInput, hoursOf, PERIODS } from "../model/limits";
import { ALL_POOLS } from "../model/quotas";
import { GroupAndPoolFields } from "./quota-dialog";

/** GPU-hours of each calendar period: used, promised to what runs, and left. */
export function BudgetPanel() {
  const { t } = useTranslation("quotas");
  const me = useMe();
  const [edited, setEdited] = useState<Partial<BudgetForm> | null>(null);
  const columns = useBudgetColumns(setEdited);
  return (
    <QueryBoundary query={useBudgets()} rows={3} canRetry={false}>
      {(budgets) => (
        <Panel
          title={t("budget.titleMany")}
          extra={
            isPlatformAdmin(me) && <Button onClick={() => setEdited({})}>{t("budget.add")}</Button>
          }
        >
          <DataTable
            label={t("budget.titleMany")}
            columns={columns}
            rows={budgets}
            rowKey={({ id }) => id}
            empty={<p className="quiet">{t("budget.none")}</p>}
          />
          {edited && <BudgetDialog initial={edited} onClose={() => setEdited(null)} />}
        </Panel>
      )}
    </QueryBoundary>
  );
}

function useBudgetColumns(onEdit: (budget: BudgetForm) => void): Column<Budget>[] {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const me = useMe();
  const columns: Column<Budget>[] = [
    { key: "group", title: t("column.group"), cell: ({ group }) => titleOf(group, language) },
    { key: "use", title: t("column.use"), cell: (budget) => <BudgetMeter budget={budget} /> },
    { key: "ends", title: t("budget.ends"), cell: ({ ends_at }) => <Age at={ends_at} /> },
  ];
  if (!isPlatformAdmin(me)) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (budget) => <BudgetActions budget={budget} onEdit={() => onEdit(budgetForm(budget))} />,
    },
  ];
}

function BudgetMeter({ budget }: { budget: Budget }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const { used, gone, limit } = hoursOf(budget);
  const say = (hours: number) => formatNumber(hours, language);
  const where = budget.pool ? titleOf(budget.pool, language) : t("allPools");
  return (
    <>
      <Meter
        label={`${t(`budget.per.${budget.period}`)} · ${where}`}
        amount={t("budget.amount", { used: say(used), limit: say(limit) })}
        used={gone}
        mine={used}
        limit={limit}
      />
      {gone > used && (
        <p className="num second">{t("budget.promised", { amount: say(gone - used) })}</p>
      )}
    </>
  );
}

function BudgetActions({ budget, onEdit }: { budget: Budget; onEdit: () => void }) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const remover = useRemoveBudget();
  const group = titleOf(budget.group, language);
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("budget.editOf", { group })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <RemoveButton
        id={budget.id}
        label={t("budget.removeOf", { group })}
        question={t("budget.removeQuestion")}
        mutation={remover}
      />
    </Flex>
  );
}

interface BudgetDialogProps {
  /** What is known of it already; the one of the same group, pool and period is replaced. */
  initial: Partial<BudgetForm>;
  onClose: () => void;
}

function BudgetDialog({ initial, onClose }: BudgetDialogProps) {
  const { t } = useTranslation("quotas");
  const save = useSetBudget();
  return (
    <EntityDialog<BudgetForm, BudgetInput>
      action={t("save")}
      title={t("budget.title")}
      initial={{ pool: ALL_POOLS, period: "month", ...initial }}
      save={save}
      bodyOf={budgetInput}
      onClose={onClose}
    >
      <GroupAndPoolFields />
      <Form.Item name="period" label={t("budget.period")}>
        <Select options={PERIODS.map((value) => ({ value, label: t(`budget.per.${value}`) }))} />
      </Form.Item>
      <Form.Item
        name="gpu_hours"
        label={t("budget.gpuHours")}
        extra={t("budget.gpuHoursAbout")}
        rules={[{ required: true, message: t("amountMissing") }]}
      >
        <InputNumber min={0} precision={0} style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}
