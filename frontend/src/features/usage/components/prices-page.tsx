import { Button } from "antd";
import { useState } from "react";
import type { GpuPrice, GpuPrices } from "@/shared/api/types";
import { usePrices } from "@/shared/cluster/api/cluster";
import { formatMoney, MICROS } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useRemovePrice } from "../api/usage";

const LaterPrice = later(async () => (await import("./price-dialog")).PriceDialog);

/** What an hour of each GPU model costs, from when to when. */
export function PricesPage() {
  const { t } = useTranslation("usage");
  const isAdmin = isPlatformAdmin(useMe());
  const [isAdding, setAdding] = useState(false);
  const prices = usePrices();
  const add = (
    <Button type="primary" disabled={!prices.data} onClick={() => setAdding(true)}>
      {t("prices.add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("prices.title")} about={t("prices.about")} actions={isAdmin && add} />
      <Panel title={t("prices.list")}>
        <QueryBoundary query={prices} rows={4}>
          {(found) => <PriceTable found={found} isAdmin={isAdmin} />}
        </QueryBoundary>
      </Panel>
      {isAdding && prices.data && (
        <LaterPrice prices={prices.data} onClose={() => setAdding(false)} />
      )}
    </>
  );
}

function PriceTable({ found, isAdmin }: { found: GpuPrices; isAdmin: boolean }) {
  const { t } = useTranslation("usage");
  const language = useLanguage();
  const money = ({ hourly_micros, currency }: GpuPrice) =>
    formatMoney(hourly_micros / MICROS, currency, language, 6);
  const modelOf = ({ model }: GpuPrice) => model;
  const fromOf = ({ valid_from }: GpuPrice) => valid_from;
  const columns: ListColumn<GpuPrice>[] = [
    { key: "model", title: t("grouping.model"), value: modelOf, cell: modelOf },
    { key: "from", title: t("prices.from"), isShort: true, value: fromOf, cell: fromOf },
    {
      key: "until",
      title: t("prices.until"),
      isShort: true,
      value: ({ valid_until }) => valid_until,
      cell: ({ valid_until }) => valid_until ?? t("prices.open"),
    },
    {
      key: "hourly",
      title: t("prices.hourly"),
      isShort: true,
      value: ({ hourly_micros }) => hourly_micros / MICROS,
      cell: (price) => <span className="num">{money(price)}</span>,
    },
    {
      key: "action",
      title: t("prices.action"),
      cell: (price) => isAdmin && price.may_remove && <RemovePrice price={price} />,
    },
  ];
  return (
    <ListTable
      id="prices"
      label={t("prices.list")}
      columns={columns}
      rows={found.prices}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t("prices.empty")} text={t("prices.emptyText")} />}
    />
  );
}

function RemovePrice({ price }: { price: GpuPrice }) {
  const { t } = useTranslation("usage");
  return (
    <ConfirmButton
      action={t("prices.remove")}
      label={t("prices.removeOf", { model: price.model, day: price.valid_from })}
      question={t("prices.removeQuestion")}
      isDangerous
      mutation={useRemovePrice()}
      input={price.id}
    />
  );
}
