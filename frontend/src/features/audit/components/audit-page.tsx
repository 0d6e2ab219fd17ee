import { Alert, Button, Input, Select } from "antd";
import type { AuditEvent } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { momentAt } from "@/shared/i18n/clock";
import { formatMoment } from "@/shared/i18n/format";
import {
  titleIn,
  titleOptions,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import { type FilterChip, FilterChips } from "@/shared/lists/components/filter-chips";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { type AuditFilters, loadAllEvents, useAudit, useAuditNews } from "../api/audit";
import styles from "./audit.module.css";

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
  const found: [string, string, string | undefined][] = [
    ["actor", t("who"), actor],
    ["group", t("group"), group && (titleIn(groups, group, language) ?? "…")],
    ["outcome", t("column.outcome"), outcome && t(`outcome.${outcome}`)],
    ["object", t("column.object"), object],
    ["since", t("lists:filters.from"), since],
    ["until", t("lists:filters.to"), until],
  ];
  return found.flatMap(([name, label, value]) => (value ? [{ name, label, value }] : []));
}

function AuditFilterFields({ filters }: { filters: AuditSearch }) {
  const language = useLanguage();
  const { t } = useTranslation(["audit", "lists"]);
  const { change } = useAddress();
  const groups = useGroups().data ?? [];
  return (
    <div className={styles.filters}>
      <Input.Search
        key={filters.actor ?? ""}
        allowClear
        className={styles.who}
        aria-label={t("who")}
        placeholder={t("whoAbout")}
        maxLength={100}
        defaultValue={filters.actor ?? ""}
        onSearch={(actor) => change({ actor: actor.trim() || undefined })}
      />
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
  const language = useLanguage();
  return [
    {
      key: "at",
      title: t("column.at"),
      value: ({ at }) => at,
      cell: ({ at }) => <span className="num">{formatMoment(new Date(at), language)}</span>,
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
      value: ({ params, object_id }) => nameIn(params) ?? object_id,
      cell: ({ params, object_id }) => (
        <>
          {nameIn(params) ?? <code className="mono">{object_id || "–"}</code>}
          <Details params={params} />
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

/** What changed, from what to what, and everything else that the act wrote down. */
function Details({ params }: { params: AuditEvent["params"] }) {
  const { t } = useTranslation("audit");
  const coded = useCodedText();
  const lines = detailsOf(params);
  if (lines.length === 0) return null;
  const named = (name: string) =>
    coded(`policy:knob.${name}.title`) ?? coded(`site:field.${name}.title`) ?? name;
  return (
    <details className={styles.second}>
      <summary>{t("details")}</summary>
      <dl className={styles.details}>
        {lines.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{named(name)}</dt>
            <dd className="mono">
              {before !== undefined && (
                <>
                  <del>{before}</del>
                  <span aria-hidden> → </span>
                </>
              )}
              {after}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface Detail {
  name: string;
  /** What it was, where the act changed it. */
  before?: string;
  after: string;
}

type Values = Record<string, unknown>;

/**
 * What an act wrote down, a line for each value. Acts write changes as `before` and `after` with all
 * values in each, or for each value; what is the same in both is left out.
 */
export function detailsOf({ before, after, ...params }: Values): Detail[] {
  const [old, given] = [valuesOf(before), valuesOf(after)];
  const changed = [...new Set([...Object.keys(old), ...Object.keys(given)])].map(
    (name): Detail => ({ name, before: textOf(old[name]), after: textOf(given[name]) }),
  );
  const single = Object.entries(params)
    .filter(([name]) => !NAMES.includes(name))
    .map(([name, value]): Detail => {
      const both = valuesOf(value);
      return "before" in both && "after" in both
        ? { name, before: textOf(both.before), after: textOf(both.after) }
        : { name, after: textOf(value) };
    });
  return [...changed, ...single].filter(
    (line) => !("before" in line) || line.before !== line.after,
  );
}

function valuesOf(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Values)
    : {};
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What the target is called stands above the details. */
const NAMES = ["name"];

/** What people call the thing: acts keep its name, because the thing may be gone. */
function nameIn(params: AuditEvent["params"]): string | null {
  const name = params.name ?? params.username ?? params.title;
  return typeof name === "string" && name ? name : null;
}
