/** Who holds GPUs, which are idle, and what is near its limit. */
import { Link } from "@tanstack/react-router";
import type { NearLimit, NearLimits, Overview } from "@/shared/api/types";
import {
  formatGpus,
  formatMemory,
  formatMilli,
  formatMoney,
  formatNumber,
  MICROS,
} from "@/shared/i18n/format";
import {
  type Language,
  titleOf,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { useNearLimits } from "../api/operations";
import { largestOf } from "../model/operations";
import styles from "./operations.module.css";

interface Holder {
  id: string;
  title: string;
  search: { owner: string } | { team: string };
  gpu_milli: number;
  idle_milli: number;
  unmeasured_milli: number;
  workloads: number;
}

function holdersOf(overview: Overview, of: "groups" | "people", language: Language): Holder[] {
  if (of === "groups") {
    return overview.groups.map(({ group, held }) => ({
      ...held,
      id: group.id,
      title: titleOf(group, language),
      search: { team: group.id },
    }));
  }
  return overview.people.map(({ user: { id, display_name, username }, held }) => ({
    ...held,
    id,
    title: display_name || username,
    search: { owner: id },
  }));
}

/** Those who hold most now, each as a bar with its idle part. */
export function Holders({ overview, of }: { overview: Overview; of: "groups" | "people" }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const holders = holdersOf(overview, of, language);
  const amountOf = (milli: number) => ({
    // A part of one GPU is written in the singular.
    count: milli > 0 ? Math.max(1, milli / 1000) : 0,
    amount: formatGpus(milli, language),
  });
  const largest = largestOf(holders);
  const more = (of === "groups" ? overview.groups_total : overview.people_total) - holders.length;
  return (
    <Panel title={t(`holders.${of}`)}>
      {holders.length === 0 && <p className="quiet">{t("holders.none")}</p>}
      <ul className={styles.holders}>
        {holders.map(
          ({ id, title, search, gpu_milli, idle_milli, unmeasured_milli, workloads }) => (
            <li key={id}>
              <div className={styles.holderWords}>
                <Link to="/nodes/map" search={search}>
                  {title}
                </Link>
                <span className="num">{t("gpus", amountOf(gpu_milli))}</span>
              </div>
              <div className={styles.bar} aria-hidden>
                <span style={{ width: `${(100 * (gpu_milli - idle_milli)) / largest}%` }} />
                <span data-idle style={{ width: `${(100 * idle_milli) / largest}%` }} />
              </div>
              <span className="second num">
                {[
                  t("figure.workloads", { count: workloads }),
                  idle_milli > 0 && t("holders.idle", amountOf(idle_milli)),
                  unmeasured_milli > 0 && t("holders.unmeasured", amountOf(unmeasured_milli)),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
            </li>
          ),
        )}
      </ul>
      {more > 0 && <p className="second">{t("more", { count: more })}</p>}
    </Panel>
  );
}

/** What is not measured is not said to be in use. */
function noneIdle({ gpu_milli, unmeasured_milli }: Overview["held"]) {
  if (gpu_milli === 0) return "holders.none";
  if (unmeasured_milli === 0) return "idle.none";
  return unmeasured_milli < gpu_milli ? "idle.noneMeasured" : "idle.unmeasured";
}

/** GPUs that are held and not used, by work and owner. */
export function IdleGpus({ overview }: { overview: Overview }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const { idle, idle_total, held } = overview;
  const more = idle_total - idle.length;
  return (
    <Panel title={t("idle.title")} extra={<span className="second">{t("idle.about")}</span>}>
      <DataTable
        label={t("idle.title")}
        rows={idle}
        rowKey={({ id }) => id}
        empty={<p className="quiet">{t(noneIdle(held))}</p>}
        columns={[
          {
            key: "work",
            title: t("column.work"),
            cell: (row) => <WorkloadLink workload={row} />,
          },
          {
            key: "owner",
            title: t("column.owner"),
            cell: ({ owner, group }) => (
              <>
                <Link to="/nodes/map" search={{ owner: owner.id, state: "idle" }}>
                  {owner.display_name || owner.username}
                </Link>
                <span className="second">{titleOf(group, language)}</span>
              </>
            ),
          },
          {
            key: "gpus",
            isShort: true,
            title: t("column.gpus"),
            cell: ({ gpu_milli }) => <span className="num">{formatGpus(gpu_milli, language)}</span>,
          },
          {
            key: "use",
            isShort: true,
            title: t("column.use"),
            cell: ({ use_pct }) => (
              <span className="num">
                {use_pct === null ? "–" : t("percent", { value: formatNumber(use_pct, language) })}
              </span>
            ),
          },
          {
            key: "since",
            isShort: true,
            title: t("column.idleSince"),
            cell: ({ since }) => <Age at={since} />,
          },
        ]}
      />
      {more > 0 && <p className="second">{t("more", { count: more })}</p>}
    </Panel>
  );
}

/** Quotas, budgets, disks and volumes of which most is used. */
export function NearLimitsPanel() {
  const { t } = useTranslation("operations");
  return (
    <Panel title={t("limits.title")} extra={<span className="second">{t("limits.about")}</span>}>
      <QueryBoundary query={useNearLimits()}>{(near) => <LimitTable near={near} />}</QueryBoundary>
    </Panel>
  );
}

function LimitTable({ near: { limits, total } }: { near: NearLimits }) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const words = useLimitWords();
  const more = total - limits.length;
  return (
    <>
      <DataTable
        label={t("limits.title")}
        rows={limits}
        rowKey={({ kind, id }) => `${kind} ${id}`}
        empty={<p className="quiet">{t("limits.none")}</p>}
        columns={[
          {
            key: "what",
            title: t("column.limit"),
            cell: (limit) => (
              <>
                <LimitLink limit={limit} />
                <span className="second">{words(limit)}</span>
              </>
            ),
          },
          {
            key: "used",
            isShort: true,
            title: t("column.used"),
            cell: (near) => (
              <span className="num">
                {t("percent", { value: formatNumber(near.used_pct, language) })}
                <span className="second">
                  {t("limits.of", {
                    used: amountOf(near, near.used, language),
                    limit: amountOf(near, near.limit, language),
                  })}
                </span>
              </span>
            ),
          },
        ]}
      />
      {more > 0 && <p className="second">{t("more", { count: more })}</p>}
    </>
  );
}

function LimitLink({ limit: { kind, id, name, group } }: { limit: NearLimit }) {
  const language = useLanguage();
  if (kind === "disk") {
    return (
      <Link to="/nodes/$id" params={{ id }}>
        {name}
      </Link>
    );
  }
  if (kind === "volume") return <Link to="/volumes">{name}</Link>;
  return <Link to="/quotas">{group && titleOf(group, language)}</Link>;
}

/** What is limited: `Quota · GPUs · Training`. */
function useLimitWords(): (limit: NearLimit) => string {
  const { t } = useTranslation("operations");
  const coded = useCodedText();
  const language = useLanguage();
  return ({ kind, resource, name, group, pool }) =>
    [
      t(`limits.kind.${kind}`),
      kind === "quota" && (name || coded(`cluster:quota.resource.${resource}`) || resource),
      kind === "budget" && coded(`operations:limits.period.${resource}`),
      kind === "volume" && group && titleOf(group, language),
      pool && titleOf(pool, language),
    ]
      .filter(Boolean)
      .join(" · ");
}

const HOUR_S = 3600;

function amountOf({ kind, resource, currency }: NearLimit, value: number, language: string) {
  if (currency) return formatMoney(value / MICROS, currency, language);
  if (kind === "budget") return `${formatNumber(value / HOUR_S, language)} GPU-h`;
  if (kind !== "quota") return formatMemory(value, language);
  if (resource === "gpu") return formatGpus(value, language);
  return resource === "cpu" ? formatMilli(value, language) : formatMemory(value, language);
}
