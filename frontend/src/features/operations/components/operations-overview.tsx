import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview, Waits } from "@/shared/api/types";
import { formatGpus, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useOverview, useQueueWaits } from "../api/operations";
import { totalsOf } from "../model/operations";
import { Holders, IdleGpus, NearLimitsPanel, PoolsPanel } from "./holdings";
import styles from "./operations.module.css";
import { ProblemsPanel } from "./problems-panel";
import { RecentPanel } from "./recent-panel";
import { WhoWaits } from "./waits-panel";

/** What an operator looks at first; a group head sees the same of the own groups. */
// biome-ignore lint/style/noDefaultExport: loaded by React's `lazy`
export default function OperationsOverview() {
  const waits = useQueueWaits();
  return (
    <QueryBoundary query={useOverview()} rows={12}>
      {(overview) => (
        <QueryBoundary query={waits} rows={12}>
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
  return (
    <div className="stack" data-testid="operations">
      {!is_whole && <h2 className={styles.heading}>{t("title")}</h2>}
      <ProblemsPanel overview={overview} />
      <FirstNumbers overview={overview} waits={waits} />
      {is_whole && <PoolsPanel overview={overview} waits={waits} />}
      <div className={styles.pair}>
        <Holders overview={overview} of="groups" />
        <Holders overview={overview} of="people" />
      </div>
      <IdleGpus overview={overview} />
      <WhoWaits waits={waits} />
      <div className={styles.pair}>
        <NearLimitsPanel />
        <RecentPanel />
      </div>
    </div>
  );
}

/** The first numbers: what is held, idle, free, out of service and waited for. */
function FirstNumbers({ overview, waits }: OverviewProps) {
  const { t } = useTranslation("operations");
  const language = useLanguage();
  const { is_whole, held, idle_total, pools } = overview;
  const totals = totalsOf(pools);
  const [oldest] = waits.longest;
  const gpus = (milli: number) => formatGpus(milli, language);
  const ofAll = t("figure.ofGpus", { total: formatNumber(totals.gpus_total, language) });
  return (
    <dl className={styles.figures}>
      {is_whole ? (
        <FirstNumber
          title={t("figure.held")}
          value={<MapLink state="held">{formatNumber(totals.gpus_held, language)}</MapLink>}
          about={ofAll}
        />
      ) : (
        <FirstNumber
          title={t("figure.held")}
          value={gpus(held.gpu_milli)}
          about={t("figure.workloads", { count: held.workloads })}
        />
      )}
      <FirstNumber
        title={t("figure.idle")}
        value={<MapLink state="idle">{gpus(held.idle_milli)}</MapLink>}
        about={t("figure.workloads", { count: idle_total })}
      />
      {is_whole && (
        <>
          <FirstNumber
            title={t("figure.free")}
            value={<MapLink state="free">{formatNumber(totals.gpus_free, language)}</MapLink>}
            about={t("figure.freeAbout")}
          />
          <FirstNumber
            title={t("figure.out")}
            value={<MapLink state="out">{formatNumber(totals.gpus_out, language)}</MapLink>}
            about={t("figure.outAbout")}
          />
        </>
      )}
      <FirstNumber
        title={t("figure.waiting")}
        value={<Link to="/queue">{formatNumber(waits.total, language)}</Link>}
        about={
          oldest ? (
            <>
              {t("figure.oldest")} <Age at={oldest.queued_at} />
            </>
          ) : (
            t("figure.nobody")
          )
        }
      />
    </dl>
  );
}

function MapLink({
  state,
  children,
}: {
  state: "held" | "idle" | "free" | "out";
  children: string;
}) {
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
}

function FirstNumber({ title, value, about }: FirstNumberProps) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className="num">{value}</dd>
      <dd className="second">{about}</dd>
    </div>
  );
}
