import { Alert, Button, Flex, Form, InputNumber, Radio, Select } from "antd";
import { useState } from "react";
import type { Budget, BudgetInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatMoney, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Meter } from "@/shared/ui/meter";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useBudgets, useRemoveBudget, useSetBudget } from "../api/quotas";
import {
  amountsOf,
  type BudgetForm,
  budgetForm,
  budgetInput,
  PERIODS,
  UNITS,
} from "../model/limits";
import { ALL_POOLS } from "../model/quotas";
import { GroupAndPoolFields } from "./quota-dialog";

/** GPU-hours or money of each calendar period: used, promised to what runs, and left. */
export function BudgetPanel() {
  const { t } = useTranslation("quotas");
  const may = useBudgetRights();
  const [edited, setEdited] = useState<Partial<BudgetForm> | null>(null);
  const columns = useBudgetColumns(setEdited);
  return (
    <QueryBoundary query={useBudgets()} rows={3} canRetry={false}>
      {(budgets) => (
        <Panel
          title={t("budget.titleMany")}
          extra={may.add && <Button onClick={() => setEdited({})}>{t("budget.add")}</Button>}
        >
          <ListTable
            id="budgets"
            sortName="sortBudgets"
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

function useBudgetColumns(onEdit: (budget: BudgetForm) => void): ListColumn<Budget>[] {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const may = useBudgetRights();
  const nameOf = ({ group }: Budget) => titleOf(group, language);
  const columns: ListColumn<Budget>[] = [
    {
      key: "group",
      title: t("column.group"),
      value: nameOf,
      cell: (budget) => (
        <>
          {nameOf(budget)}
          {budget.by_group && <span className="second">{t("budget.byGroup")}</span>}
        </>
      ),
    },
    {
      key: "use",
      title: t("column.use"),
      value: (budget) => amountsOf(budget).used,
      cell: (budget) => <BudgetMeter budget={budget} />,
    },
    {
      key: "ends",
      title: t("budget.ends"),
      value: ({ ends_at }) => ends_at,
      cell: ({ ends_at }) => <Age at={ends_at} />,
    },
  ];
  if (!may.add) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (budget) => <BudgetActions budget={budget} onEdit={() => onEdit(budgetForm(budget))} />,
    },
  ];
}

/** Platform admins set what staff sets; admins of a group set another beside it. */
function useBudgetRights() {
  const isStaff = isPlatformAdmin(useMe());
  const groups = useGroups().data ?? [];
  const own = new Set(groups.filter(({ role }) => role === "group_admin").map(({ id }) => id));
  const isOwn = ({ group, by_group }: Budget) => by_group && own.has(group.id);
  return {
    add: isStaff || own.size > 0,
    edit: (budget: Budget) => (isStaff ? !budget.by_group : isOwn(budget)),
    remove: (budget: Budget) => isStaff || isOwn(budget),
  };
}

function BudgetMeter({ budget }: { budget: Budget }) {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const { used, gone, limit } = amountsOf(budget);
  const { currency, counted_until, unpriced } = budget;
  const say = (amount: number) =>
    currency ? formatMoney(amount, currency, language) : formatNumber(amount, language);
  const words = currency ? "budget.money" : "budget.hours";
  const where = budget.pool ? titleOf(budget.pool, language) : t("allPools");
  return (
    <>
      <Meter
        label={`${t(`budget.per.${budget.period}`)} · ${where}`}
        amount={t(`${words}.amount`, { used: say(used), limit: say(limit) })}
        used={gone}
        mine={used}
        limit={limit}
      />
      {gone > used && (
        <p className="num second">{t("budget.promised", { amount: say(gone - used) })}</p>
      )}
      {currency && (
        <p className="second">
          {counted_until ? (
            <>
              {t("budget.counted")} <Age at={counted_until} />
            </>
          ) : (
            t("budget.uncounted")
          )}
        </p>
      )}
      {unpriced.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={t("budget.unpriced", { models: unpriced.join(", "), currency })}
        />
      )}
    </>
  );
}

function BudgetActions({ budget, onEdit }: { budget: Budget; onEdit: () => void }) {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const remover = useRemoveBudget();
  const may = useBudgetRights();
  const group = titleOf(budget.group, language);
  return (
    <Flex gap={8} wrap>
      {may.edit(budget) && (
        <Button size="small" aria-label={t("budget.editOf", { group })} onClick={onEdit}>
          {t("edit")}
        </Button>
      )}
      {may.remove(budget) && (
        <RemoveButton
          id={budget.id}
          label={t("budget.removeOf", { group })}
          question={t("budget.removeQuestion")}
          mutation={remover}
        />
      )}
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
  const isStaff = isPlatformAdmin(useMe());
  return (
    <EntityDialog<BudgetForm, BudgetInput>
      action={t("save")}
      title={t("budget.title")}
      initial={{ pool: ALL_POOLS, period: "month", unit: "hours", ...initial }}
      save={save}
      bodyOf={budgetInput}
      onClose={onClose}
    >
      <GroupAndPoolFields areOwnOnly={!isStaff} />
      <Form.Item name="period" label={t("budget.period")}>
        <Select options={PERIODS.map((value) => ({ value, label: t(`budget.per.${value}`) }))} />
      </Form.Item>
      <Form.Item name="unit" label={t("budget.unit")}>
        <Radio.Group
          options={UNITS.map((value) => ({ value, label: t(`budget.${value}.name`) }))}
        />
      </Form.Item>
      <Form.Item noStyle dependencies={["unit"]}>
        {({ getFieldValue }) => <BudgetAmountField isMoney={getFieldValue("unit") === "money"} />}
      </Form.Item>
    </EntityDialog>
  );
}

/** How much, in whole GPU-hours, or in the currency of the site to the hundredth. */
function BudgetAmountField({ isMoney }: { isMoney: boolean }) {
  const { t } = useTranslation("quotas");
  const words = isMoney ? "budget.money" : "budget.hours";
  return (
    <Form.Item
      name="amount"
      label={t(`${words}.name`)}
      extra={t(`${words}.about`)}
      rules={[{ required: true, message: t("amountMissing") }]}
    >
      <InputNumber min={0} precision={isMoney ? 2 : 0} style={{ width: "100%" }} />
    </Form.Item>
  );
}
