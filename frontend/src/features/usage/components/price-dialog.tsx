import { AutoComplete, Form, Input, InputNumber } from "antd";
import type { GpuPrices, PriceInput } from "@/shared/api/types";
import { MICROS } from "@/shared/i18n/format";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useSetPrice } from "../api/usage";

interface PriceFields {
  model: string;
  valid_from: string;
  hourly: number;
}

interface PriceDialogProps {
  prices: GpuPrices;
  onClose: () => void;
}

/** What an hour of a model costs from a day on. */
export function PriceDialog({ prices, onClose }: PriceDialogProps) {
  const { t } = useTranslation("usage");
  return (
    <EntityDialog<PriceFields, PriceInput>
      title={t("prices.add")}
      action={t("prices.save")}
      initial={{ valid_from: prices.open_from }}
      save={useSetPrice()}
      bodyOf={({ hourly, ...body }) => ({ ...body, hourly_micros: Math.round(hourly * MICROS) })}
      onClose={onClose}
    >
      <Form.Item
        name="model"
        label={t("grouping.model")}
        rules={[{ required: true, message: t("prices.modelMissing") }]}
      >
        <AutoComplete
          options={prices.models.map((value) => ({ value }))}
          showSearch={{ filterOption: true }}
        />
      </Form.Item>
      <Form.Item
        name="valid_from"
        label={t("prices.from")}
        extra={t("prices.fromAbout", { day: prices.open_from })}
        rules={[{ required: true, message: t("prices.dayMissing") }]}
      >
        <Input type="date" min={prices.open_from} />
      </Form.Item>
      <Form.Item
        name="hourly"
        label={t("prices.hourly")}
        extra={t("prices.hourlyAbout")}
        rules={[{ required: true, message: t("prices.amountMissing") }]}
      >
        <InputNumber min={0} max={MICROS} suffix={prices.currency} style={{ width: "100%" }} />
      </Form.Item>
    </EntityDialog>
  );
}
