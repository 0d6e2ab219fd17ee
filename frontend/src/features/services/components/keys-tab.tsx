import { Button } from "antd";
import { useState } from "react";
import type { ServiceDetail, ServiceKey } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useKeys, useRevokeKey } from "../api/keys";

const LaterServiceKeyDialog = later(async () => (await import("./key-dialog")).ServiceKeyDialog);

/** Who may call it: a key for each program, with its limits; the keys themselves are never shown again. */
export function KeysTab({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const [isOpen, setOpen] = useState(false);
  const mayChange = canChange(useMe(), service);
  const create = mayChange && (
    <Button size="small" onClick={() => setOpen(true)}>
      {t("keys.create")}
    </Button>
  );
  return (
    <Panel title={t("tab.keys")} extra={create}>
      <p className="quiet">{t("keys.about")}</p>
      <ListOfQuery
        id="service-keys"
        query={useKeys(service.id)}
        label={t("tab.keys")}
        columns={useKeyColumns(service.id, mayChange)}
        rowKey={({ id }) => id}
        sortName="keys"
        empty={<EmptyState title={t("keys.empty.title")} text={t("keys.empty.text")} />}
      />
      {isOpen && <LaterServiceKeyDialog service={service} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function useKeyColumns(serviceId: string, mayRevoke: boolean): ListColumn<ServiceKey>[] {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const limit = (amount: number | null) =>
    amount === null ? t("keys.noLimit") : formatNumber(amount, language, 0);
  const columns: ListColumn<ServiceKey>[] = [
    {
      key: "name",
      title: t("column.name"),
      value: ({ name }) => name,
      cell: ({ name, hint }) => (
        <>
          {name} <code className="mono quiet">…{hint}</code>
        </>
      ),
    },
    {
      key: "requests",
      title: t("keys.requests"),
      value: ({ requests_per_min }) => requests_per_min,
      cell: ({ requests_per_min }) => <span className="num">{limit(requests_per_min)}</span>,
    },
    {
      key: "tokens",
      title: t("keys.tokens"),
      value: ({ tokens_per_min }) => tokens_per_min,
      cell: ({ tokens_per_min }) => <span className="num">{limit(tokens_per_min)}</span>,
    },
    {
      key: "created",
      title: t("revision.created"),
      value: ({ created_at }) => created_at,
      cell: ({ created_at, created_by }) => (
        <>
          <Age at={created_at} />
          <p className="second note">{created_by.display_name || created_by.username}</p>
        </>
      ),
    },
    {
      key: "expires",
      title: t("keys.expires"),
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => (expires_at ? <Age at={expires_at} /> : t("keys.never")),
    },
  ];
  if (!mayRevoke) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (key) => <RevokeKeyButton serviceId={serviceId} issued={key} />,
    },
  ];
}

function RevokeKeyButton({ serviceId, issued }: { serviceId: string; issued: ServiceKey }) {
  const { t } = useTranslation("services");
  const { id, name } = issued;
  return (
    <ConfirmButton
      action={t("keys.revoke")}
      label={t("keys.revokeNamed", { name })}
      question={t("keys.revokeQuestion", { name })}
      isDangerous
      mutation={useRevokeKey(serviceId)}
      input={id}
    />
  );
}
