import { Form, InputNumber, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { BudgetInput } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useSetBudget } from "../api/use-budgets";
import { type BudgetForm, budgetOf, PERIODS } from "../model/budgets";
import { ALL_POOLS } from "../model/limits";
import { PlaceFields } from "./place-fields";

interface BudgetDialogProps {
  /** What is known of it already; the one of the same group, pool and period is replaced. */
  initial: Partial<BudgetForm>;
  onClose: () => void;
}

export function BudgetDialog({ initial, onClose }: BudgetDialogProps) {
  const { t } = useTranslation("quotas");
  const save = useSetBudget();
  return (
    <EntityDialog<BudgetForm, BudgetInput>
      action={t("save")}
      title={t("budget.title")}
      initial={{ pool: ALL_POOLS, period: "month", ...initial }}
      sender={save}
      bodyOf={budgetOf}
      onClose={onClose}
    >
      <PlaceFields />
      <Form.Item name="period" label={t("budget.period")}>
        <Select options={PERIODS.map((value) => ({ value, label: t(`budget.per.${value}`) }))} />
      </Form.Item>
      <Form.Item
        name="card_hours"
        label={t("budget.cardHours")}
        extra={t("budget.cardHoursAbout")}
        rules={[{ required: true, message: t("amountMissing") }]}
      >
        <InputNumber min={0} precision={0} style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}
