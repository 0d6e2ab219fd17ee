import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Overview, Waits } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/cluster";
import { useBoard } from "@/shared/cluster/api/nodes";
import { formatGpus, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Segments } from "@/shared/ui/controls";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Sparkline } from "@/shared/ui/sparkline";
import { Elapsed } from "@/shared/ui/time";
import { useDay, useOverview, useQueueWaits } from "../api/operations";
import { idleIn } from "../model/day";
import { figuresOf, type PoolFigures, totalsOf } from "../model/operations";
import { DayPanel } from "./day-panel";
import { Holders, IdleGpus, NearLimitsPanel } from "./holdings";
import styles from "./operations.module.css";
import { PoolsPanel } from "./pools-panel";
import { ProblemsPanel } from "./problems-panel";
import { RecentPanel } from "./recent-panel";
import { TodoPanel, WhoWaits } from "./waits-panel";

/** What an operator looks at first; a group head sees the same of the own groups. */
// biome-ignore lint/style/noDefaultExport: loaded by React's `lazy`
export default function OperationsOverview() {
  const waits = useQueueWaits();
  const pools = usePools();
  const { hasStrips, board } = useBoard();
  // What comes later would move all that is below it.
  const isPending = waits.isPending || pools.isPending || (hasStrips && board.isPending);
  return (
    <QueryBoundary query={useOverview()} rows={12}>
      {(overview) => (
        <QueryBoundary query={{ ...waits, isPending }} rows={12}>
          {(waits) => <OverviewPanels overview={overview} waits={waits} />}
        </QueryBoundary>
      )}
    </QueryBoundary>
  );
}

interface OverviewProps {
  overview: Overview;
  waits: Waits;
}

function OverviewPanels({ overview, waits }: OverviewProps) {
  const { t } = useTranslation("operations");
  const { is_whole } = overview;
  const board = useBoard().board.data;
  const pools = figuresOf(overview.pools, board?.pools, waits);
  const gpus = is_whole ? totalsOf(pools).gpus_total : null;
  return (
    <div className={`stack ${styles.operations}`} data-testid="operations">
      {!is_whole && <h2 className={styles.heading}>{t("title")}</h2>}
      <ProblemsPanel overview={overview} />
      <FirstNumbers overview={overview} waits={waits} pools={pools} />
      {is_whole && <PoolsPanel pools={pools} order={board?.order} waits={waits} />}
      <div className={styles.pair}>
        <TodoPanel overview={overview} waits={waits} />
        <DayPanel gpus={gpus} />
      </div>
      <Parts overview={overview} waits={waits} />
    </div>
  );
}

const PARTS = ["holders", "idle", "waits", "limits", "recent"] as const;

/** The rest, one part at a time. */
function Parts({ overview, waits }: OverviewProps) {
  const { t } = useTranslation("operations");
  const [part, setPart] = useState<(typeof PARTS)[number]>("holders");
  return (
    <>
      <Segments
        label={t("parts.label")}
        value={part}
        options={PARTS.map((value) => ({ value, label: t(`parts.${value}`) }))}
        onChoose={setPart}
      />
      {part === "holders" && (
        <div className={styles.pair}>
          <Holders overview={overview} of="groups" />
          <Holders overview={overview} of="people" />
        </div>
      )}
      {part === "idle" && <IdleGpus overview={overview} />}
      {part === "waits" && <WhoWaits waits={waits} />}
      {part === "limits" && <NearLimitsPanel />}
      {part === "recent" && <RecentPanel />}
    </>
  );
}

interface FirstNumbersProps extends OverviewProps {
  pools: readonly PoolFigures[];
}

/** The first numbers, each with its last 24 hours: held, idle, free, out of service and waited for. */
function FirstNumbers({ overview, waits, pools }: FirstNumbersProps) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const day = useDay().data;
  const { is_whole, held, idle_total } = overview;
  const totals = totalsOf(pools);
  const capacity = 1000 * totals.gpus_total;
  const [oldest] = waits.longest;
  const gpus = (milli: number) => formatGpus(milli, language);
  const number = (value: number) => formatNumber(value, language);
  const waiting = is_whole ? totals.waiting : waits.total;
  return (
    <dl className={styles.figures}>
      {is_whole ? (
        <FirstNumber
          title={t("figure.held")}
          value={<MapLink state="held">{number(totals.gpus_held)}</MapLink>}
          about={t("figure.ofGpus", { total: number(totals.gpus_total) })}
          curve={day?.held_milli}
          most={capacity}
        />
      ) : (
        <FirstNumber
          title={t("figure.held")}
          value={gpus(held.gpu_milli)}
          about={t("figure.workloads", { count: held.workloads })}
          curve={day?.held_milli}
        />
      )}
      <FirstNumber
        title={t("figure.idle")}
        value={<MapLink state="idle">{gpus(held.idle_milli)}</MapLink>}
        about={t("figure.workloads", { count: idle_total })}
        curve={day && idleIn(day)}
        most={capacity}
      />
      {is_whole && (
        <>
          <FirstNumber
            title={t("figure.free")}
            value={<MapLink state="free">{number(totals.gpus_free)}</MapLink>}
            about={t("figure.freeAbout")}
            curve={day?.held_milli.map((milli) => Math.max(0, capacity - milli))}
            most={capacity}
          />
          <FirstNumber
            title={t("figure.out")}
            value={<MapLink state="out">{number(totals.gpus_out)}</MapLink>}
            about={
              totals.gpus_lost > 0 ? (
                <MapLink state="lost">{t("pools.lost", { count: totals.gpus_lost })}</MapLink>
              ) : (
                t("figure.outAbout")
              )
            }
          />
        </>
      )}
      <FirstNumber
        title={t("figure.waiting")}
        value={<Link to="/queue">{number(waiting)}</Link>}
        about={
          oldest ? (
            <>
              {t("figure.oldest")} <Elapsed since={oldest.queued_at} isCoarse />
            </>
          ) : (
            t("figure.nobody")
          )
        }
        curve={day?.waiting}
      />
    </dl>
  );
}

interface MapLinkProps {
  state: "held" | "idle" | "free" | "out" | "lost";
  children: string;
}

function MapLink({ state, children }: MapLinkProps) {
  return (
    <Link to="/nodes/map" search={{ state }}>
      {children}
    </Link>
  );
}

interface FirstNumberProps {
  title: string;
  value: ReactNode;
  about: ReactNode;
  /** Of the last 24 hours, where it is known. */
  curve?: readonly (number | null)[] | undefined;
  most?: number;
}

function FirstNumber({ title, value, about, curve, most }: FirstNumberProps) {
  const { t } = useTranslation("operations");
  return (
    <div>
      <dt>{title}</dt>
      <dd className="num">{value}</dd>
      <dd className="second">{about}</dd>
      {curve && (
        <dd className={styles.curve}>
          <Sparkline
            values={curve}
            label={t("figure.day", { what: title })}
            {...(most && { most })}
          />
        </dd>
      )}
    </div>
  );
}
