import { Button, Input, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEvent } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatMoment } from "@/shared/i18n/format";
import { useCodedText, useLanguage } from "@/shared/i18n/language";
import { type Column, EntityTable } from "@/shared/ui/data-table";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { type AuditFilters, useAudit } from "../api/audit";
import styles from "./audit.module.css";

const OUTCOMES = ["ok", "denied", "failed"] as const;

/** Who did what to what, newest first. */
export function AuditPage() {
  const { t } = useTranslation("audit");
  const [filters, setFilters] = useState<AuditFilters>({});
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <AuditFilterFields filters={filters} onChange={setFilters} />
      <AuditTable filters={filters} />
    </>
  );
}

interface AuditFilterProps {
  filters: AuditFilters;
  onChange: (filters: AuditFilters) => void;
}

function AuditFilterFields({ filters, onChange }: AuditFilterProps) {
  const { t } = useTranslation("audit");
  const groups = useGroups().data ?? [];
  return (
    <div className={styles.filters}>
      <Input.Search
        allowClear
        className={styles.who}
        aria-label={t("who")}
        placeholder={t("whoAbout")}
        maxLength={100}
        onSearch={(actor) => onChange({ ...filters, actor: actor.trim() || undefined })}
      />
      <Select
        allowClear
        popupMatchSelectWidth={false}
        aria-label={t("group")}
        placeholder={t("group")}
        showSearch={{ optionFilterProp: "label" }}
        value={filters.group}
        options={groups.map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(group?: string) => onChange({ ...filters, group })}
      />
      <Select
        allowClear
        popupMatchSelectWidth={false}
        aria-label={t("column.outcome")}
        placeholder={t("column.outcome")}
        value={filters.outcome}
        options={OUTCOMES.map((outcome) => ({ value: outcome, label: t(`outcome.${outcome}`) }))}
        onChange={(outcome?: AuditFilters["outcome"]) => onChange({ ...filters, outcome })}
      />
    </div>
  );
}

function AuditTable({ filters }: { filters: AuditFilters }) {
  const { t } = useTranslation("audit");
  const events = useAudit(filters);
  const columns = useAuditColumns();
  return (
    <div className="stack">
      <EntityTable
        query={events}
        skeletonRows={8}
        label={t("title")}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
      />
      {events.hasNextPage && (
        <div>
          <Button onClick={() => void events.fetchNextPage()} loading={events.isFetchingNextPage}>
            {t("older")}
          </Button>
        </div>
      )}
    </div>
  );
}

function useAuditColumns(): Column<AuditEvent>[] {
  const { t } = useTranslation("audit");
  const coded = useCodedText();
  const language = useLanguage();
  return [
    {
      key: "at",
      title: t("column.at"),
      cell: ({ at }) => <span className="num">{formatMoment(new Date(at), language)}</span>,
    },
    {
      key: "who",
      title: t("who"),
      cell: ({ actor_name, actor_kind, address }) => (
        <>
          {actor_name || "–"}
          <p className={styles.second}>
            {[coded(`audit:kind.${actor_kind}`) ?? actor_kind, address].filter(Boolean).join(" · ")}
          </p>
        </>
      ),
    },
    {
      key: "what",
      title: t("column.what"),
      cell: ({ action }) => coded(`audit:action.${action}`) ?? action,
    },
    {
      key: "object",
      title: t("column.object"),
      cell: ({ params, object_id }) => (
        <>
          {nameIn(params) ?? <code className="mono">{object_id || "–"}</code>}
          <details className={styles.second}>
            <summary>{t("details")}</summary>
            <code className={`mono ${styles.params}`}>{JSON.stringify(params)}</code>
          </details>
        </>
      ),
    },
    {
      key: "outcome",
      title: t("column.outcome"),
      cell: ({ outcome }) => coded(`audit:outcome.${outcome}`) ?? outcome,
    },
  ];
}

/** What people call the thing: acts keep its name, because the thing may be gone. */
function nameIn(params: AuditEvent["params"]): string | null {
  const name = params.name ?? params.username ?? params.title;
  return typeof name === "string" && name ? name : null;
}
