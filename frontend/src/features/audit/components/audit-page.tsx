import { Alert, AutoComplete, Button, Input, Select } from "antd";
import { useState } from "react";
import type { AuditEvent } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { momentAt } from "@/shared/i18n/clock";
import {
  titleIn,
  titleOptions,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import { chipsOf, type FilterChip, FilterChips } from "@/shared/lists/components/filter-chips";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Moment } from "@/shared/ui/time";
import {
  type AuditFilters,
  loadAllEvents,
  useAudit,
  useAuditNews,
  usePeopleNamed,
} from "../api/audit";
import styles from "./audit.module.css";
import { Details, useTargetName } from "./event-details";

const OUTCOMES = ["ok", "denied", "failed"] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What its address remembers; the group is that of all pages. */
interface AuditSearch {
  group?: string | undefined;
  actor?: string | undefined;
  outcome?: Outcome | undefined;
  /** The id of what was acted upon. */
  object?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** Who did what to what, newest first. */
export function AuditPage() {
  const { t } = useTranslation("audit");
  const { search } = useAddress();
  const filters = readAuditSearch(search);
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <AuditFilterFields filters={filters} />
      <FilterChips chips={useAuditChips(filters)} />
      <AuditTable filters={eventsOf(filters)} />
    </>
  );
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const word = (name: string) => {
    const value = search[name];
    return typeof value === "string" && value ? value.slice(0, 100) : undefined;
  };
  const day = (name: string) => (DAY.test(word(name) ?? "") ? word(name) : undefined);
  return {
    group: word("group"),
    actor: word("actor"),
    outcome: OUTCOMES.find((outcome) => outcome === search.outcome),
    object: word("object"),
    since: day("since"),
    until: day("until"),
  };
}

/** Days are the reader's, the last one included. */
function eventsOf({ since, until, ...filters }: AuditSearch): AuditFilters {
  return {
    ...filters,
    since: since && momentAt(`${since}T00:00`).toISOString(),
    until: until && momentAt(`${until}T23:59:59.999`).toISOString(),
  };
}

function useAuditChips(filters: AuditSearch): FilterChip[] {
  const language = useLanguage();
  const { t } = useTranslation(["audit", "lists"]);
  const groups = useGroups(Boolean(filters.group)).data ?? [];
  const { group, actor, outcome, object, since, until } = filters;
  return chipsOf([
    ["actor", t("who"), actor],
    ["group", t("group"), group && (titleIn(groups, group, language) ?? "…")],
    ["outcome", t("column.outcome"), outcome && t(`outcome.${outcome}`)],
    ["object", t("column.object"), object],
    ["since", t("lists:filters.from"), since],
    ["until", t("lists:filters.to"), until],
  ]);
}

function AuditFilterFields({ filters }: { filters: AuditSearch }) {
  const language = useLanguage();
  const { t } = useTranslation(["audit", "lists"]);
  const { change } = useAddress();
  const groups = useGroups().data ?? [];
  return (
    <div className={styles.filters}>
      <ActorField key={filters.actor ?? ""} actor={filters.actor} />
      <Select
        allowClear
        popupMatchSelectWidth={false}
        aria-label={t("group")}
        placeholder={t("group")}
        showSearch={{ optionFilterProp: "label" }}
        value={filters.group}
        options={titleOptions(groups, language)}
        onChange={(group?: string) => change({ group })}
      />
      <Select
        allowClear
        popupMatchSelectWidth={false}
        aria-label={t("column.outcome")}
        placeholder={t("column.outcome")}
        value={filters.outcome}
        options={OUTCOMES.map((outcome) => ({ value: outcome, label: t(`outcome.${outcome}`) }))}
        onChange={(outcome?: Outcome) => change({ outcome })}
      />
      {(["since", "until"] as const).map((name) => (
        <Input
          key={name}
          type="date"
          className={styles.day ?? ""}
          aria-label={t(name === "since" ? "lists:filters.from" : "lists:filters.to")}
          value={filters[name] ?? ""}
          onChange={({ target }) => change({ [name]: target.value || undefined })}
        />
      ))}
    </div>
  );
}

/** Whose acts: any name as it is typed, with people to choose from for who may list them. */
function ActorField({ actor }: { actor: string | undefined }) {
  const { t } = useTranslation("audit");
  const { change } = useAddress();
  const [typed, setTyped] = useState("");
  const people = usePeopleNamed(typed.trim(), isPlatformAdmin(useMe())).data ?? [];
  const choose = (name: string) => change({ actor: name.trim() || undefined });
  return (
    <AutoComplete
      className={styles.who ?? ""}
      defaultValue={actor ?? ""}
      options={people.map(({ username, display_name }) => ({
        value: username,
        label: [username, display_name].filter(Boolean).join(" · "),
      }))}
      showSearch={{ onSearch: setTyped }}
      onSelect={choose}
    >
      <Input.Search
        allowClear
        aria-label={t("who")}
        placeholder={t("whoAbout")}
        maxLength={100}
        onSearch={choose}
      />
    </AutoComplete>
  );
}

function AuditTable({ filters }: { filters: AuditFilters }) {
  const { t } = useTranslation("audit");
  useArrival("audit");
  const events = useAudit(filters);
  const { hasNews, read } = useAuditNews(events.dataUpdatedAt);
  return (
    <>
      {hasNews && (
        <Alert
          type="info"
          role="status"
          title={t("news")}
          action={
            <Button size="small" onClick={() => void read()}>
              {t("show")}
            </Button>
          }
        />
      )}
      <ListOfQuery
        id="audit"
        query={events}
        skeletonRows={8}
        label={t("title")}
        columns={useAuditColumns()}
        rowKey={({ id }) => id}
        serverSorts={[]}
        views="audit"
        loadAll={() => loadAllEvents(filters)}
        onMore={moreOf(events)}
        isLoadingMore={events.isFetchingNextPage}
        moreLabel={t("older")}
        empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
      />
    </>
  );
}

function useAuditColumns(): ListColumn<AuditEvent>[] {
  const { t } = useTranslation("audit");
  const coded = useCodedText();
  const named = useTargetName();
  return [
    {
      key: "at",
      title: t("column.at"),
      value: ({ at }) => at,
      isMoment: true,
      cell: ({ at }) => <Moment at={at} />,
    },
    {
      key: "who",
      title: t("who"),
      value: ({ actor_name }) => actor_name,
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
      value: ({ action }) => action,
      cell: (event) => <Act {...event} />,
    },
    {
      key: "object",
      title: t("column.object"),
      value: (event) => named(event) ?? event.object_id,
      cell: (event) => (
        <>
          {named(event) ?? <code className="mono">{event.object_id || "–"}</code>}
          <Details params={event.params} />
        </>
      ),
    },
    {
      key: "outcome",
      title: t("column.outcome"),
      value: ({ outcome }) => outcome,
      cell: ({ outcome }) => coded(`audit:outcome.${outcome}`) ?? outcome,
    },
  ];
}

/** What was done, or what was refused: then the right that was missing, and how often it was tried. */
function Act({ action, outcome, params }: AuditEvent) {
  const { t } = useTranslation("audit");
  const coded = useCodedText();
  if (outcome !== "denied") return coded(`audit:action.${action}`) ?? action;
  const repeats = typeof params.repeats === "number" ? params.repeats : 0;
  return (
    <>
      {coded(`audit:attempt.${action}`) ?? action}
      {repeats > 0 && <p className={styles.second}>{t("repeats", { count: repeats })}</p>}
    </>
  );
}
