import { DownloadOutlined, SearchOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Alert, Button, Checkbox, Input, Radio, Select, Slider } from "antd";
import { useId, useMemo, useState } from "react";
import { JOB } from "@/shared/api/kinds.gen";
import type {
  ChartLines,
  ComparedJob,
  JobMetrics,
  Workload,
  WorkloadDetail,
} from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { ChartLegend, hueOf, useHiddenLines } from "@/shared/ui/line-chart";
import type { Extent } from "@/shared/ui/plot";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { linesAddress, useChartLines, useJobMetrics } from "../api/metrics";
import { COMPARED_MAX, comparedTitle, joinIds, splitIds } from "../model/comparison";
import type { ChartAxis, ChartView } from "../model/lines";
import { MetricChart, NoMetrics } from "./metric-chart";
import styles from "./metrics.module.css";

interface MetricsTabProps {
  job: WorkloadDetail;
  /** Ids of other jobs with commas between them. */
  compared: string;
  onCompare: (compared: string) => void;
}

/** A chart for each metric that a job prints, beside those of other jobs. */
export function MetricsTab({ job, compared, onCompare }: MetricsTabProps) {
  const [rank, setRank] = useState(0);
  const metrics = useJobMetrics(job.id, rank);
  const others = splitIds(compared).filter((id) => id !== job.id);
  return (
    <QueryBoundary query={metrics}>
      {(found) =>
        found.ranks.length === 0 && found.left_out.malformed === 0 ? (
          <NoMetrics />
        ) : (
          <Metrics
            job={job}
            found={found}
            others={others}
            onCompare={(ids) => onCompare(joinIds(ids))}
            rank={rank}
            onRank={setRank}
          />
        )
      }
    </QueryBoundary>
  );
}

interface MetricsProps {
  job: WorkloadDetail;
  found: JobMetrics;
  others: readonly string[];
  onCompare: (ids: readonly string[]) => void;
  rank: number;
  onRank: (rank: number) => void;
}

/** MetricCharts that are shown at first; all of a hundred would be slow to draw. */
const SHOWN_FIRST = 24;
const SEARCHED_FROM = 8;

function Metrics({ job, found, others, onCompare, rank, onRank }: MetricsProps) {
  const { t } = useTranslation("metrics");
  const [view, setView] = useState<ChartView>({ axis: "step", smoothing: 0, isLog: false });
  const [wanted, setWanted] = useState("");
  const [isWhole, setWhole] = useState(false);
  const all = found.metrics.map(({ name }) => name);
  const matching = all.filter((name) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const names = isWhole ? matching.slice(0, ASKED_MAX) : matching.slice(0, SHOWN_FIRST);
  const lines = useChartLines({ jobId: job.id, others, names, rank });
  return (
    <div className="stack">
      <div className={styles.bar}>
        {found.ranks.length > 1 && (
          <Select
            aria-label={t("rank")}
            value={rank}
            onChange={onRank}
            options={found.ranks.map((value) => ({
              value,
              label: t("rankNumber", { rank: value }),
            }))}
          />
        )}
        <ComparePicker
          job={job}
          chosen={others}
          known={lines.data?.jobs ?? []}
          onChoose={onCompare}
        />
        {all.length >= SEARCHED_FROM && (
          <Input
            allowClear
            className={styles.find ?? ""}
            aria-label={t("find")}
            placeholder={t("find")}
            prefix={<SearchOutlined aria-hidden />}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        )}
        <Button
          icon={<DownloadOutlined aria-hidden />}
          href={linesAddress(job.id, rank, others)}
          download
        >
          {t("csv")}
        </Button>
      </div>
      <ViewBar view={view} onView={setView} />
      <LeftOut found={found} />
      {names.length > 0 && (
        <QueryBoundary query={lines}>
          {(data) => <MetricCharts found={found} names={names} data={data} job={job} view={view} />}
        </QueryBoundary>
      )}
      {names.length < matching.length && !isWhole && (
        <div>
          <Button onClick={() => setWhole(true)}>{t("showAll", { count: matching.length })}</Button>
        </div>
      )}
    </div>
  );
}

interface ComparePickerProps {
  job: WorkloadDetail;
  chosen: readonly string[];
  /** Those whose lines are there: their names, also when the list does not reach so far back. */
  known: readonly ComparedJob[];
  onChoose: (ids: readonly string[]) => void;
}

/** Chooses jobs to compare with, newest first; finds others by name. */
function ComparePicker({ job, chosen, known, onChoose }: ComparePickerProps) {
  const { t } = useTranslation("metrics");
  const [search, setSearch] = useState("");
  const found = useWorkloads({ kind: JOB.kind, ...(search && { search }) });
  const listed = (found.data ?? [])
    .filter(({ id, started_at }) => id !== job.id && started_at !== null)
    .map((each) => ({ value: each.id, label: `${comparedTitle(each)} · ${ownerOf(each)}` }));
  const others = known
    .filter(({ id }) => id !== job.id && !listed.some(({ value }) => value === id))
    .map((each) => ({ value: each.id, label: comparedTitle(each) }));
  return (
    <Select
      mode="multiple"
      allowClear
      className={styles.compare ?? ""}
      aria-label={t("compare")}
      placeholder={t("compare")}
      maxCount={COMPARED_MAX}
      value={[...chosen]}
      onChange={(ids) => onChoose(ids)}
      showSearch={{ filterOption: false, onSearch: setSearch }}
      loading={found.isPending}
      notFoundContent={t("noOthers")}
      options={[...listed, ...others]}
    />
  );
}

function ownerOf({ owner }: Workload): string {
  return owner.display_name || owner.username;
}

/** As many as one request may name. */
const ASKED_MAX = 50;

/** How charts are drawn: lower axis, smoothing and scale. */
function ViewBar({ view, onView }: { view: ChartView; onView: (view: ChartView) => void }) {
  const { t } = useTranslation("metrics");
  return (
    <div className={styles.bar}>
      <Radio.Group
        size="small"
        optionType="button"
        aria-label={t("axisLabel")}
        value={view.axis}
        onChange={({ target }) => onView({ ...view, axis: target.value as ChartAxis })}
        options={[
          { value: "step", label: t("axis.step") },
          { value: "time", label: t("axis.time") },
        ]}
      />
      <div className={styles.smoothing}>
        <span>{t("smoothing")}</span>
        <Slider
          ariaLabelForHandle={t("smoothing")}
          min={0}
          max={0.99}
          step={0.01}
          value={view.smoothing}
          onChange={(smoothing) => onView({ ...view, smoothing })}
        />
      </div>
      <Checkbox
        checked={view.isLog}
        onChange={({ target }) => onView({ ...view, isLog: target.checked })}
      >
        {t("log")}
      </Checkbox>
    </div>
  );
}

interface MetricChartsProps {
  found: JobMetrics;
  names: readonly string[];
  data: ChartLines;
  job: WorkloadDetail;
  view: ChartView;
}

function MetricCharts({ found, names, data, job, view }: MetricChartsProps) {
  const { t } = useTranslation("metrics");
  const group = useId();
  const [hidden, toggle] = useHiddenLines();
  const [zoomed, setZoomed] = useState<Zoomed | null>(null);
  const jobs = useMemo(() => {
    const all = [job, ...data.jobs.filter(({ id }) => id !== job.id)];
    return new Map(all.map((each, place) => [each.id, { title: comparedTitle(each), place }]));
  }, [job, data.jobs]);
  const linesOf = useMemo(() => {
    const shown = data.lines.filter((line) => !hidden.has(line.job));
    return new Map(names.map((name) => [name, shown.filter((line) => line.name === name)]));
  }, [data.lines, hidden, names]);
  return (
    <>
      {jobs.size > 1 && (
        <ChartLegend
          label={t("jobs")}
          items={[...jobs].map(([id, { title, place }]) => ({
            key: id,
            colour: hueOf(place),
            name: title,
            extra: id !== job.id && (
              <Link to="/jobs/$id" params={{ id }} search={{ tab: "metrics" }}>
                {t("open")}
                <span className="visually-hidden"> {title}</span>
              </Link>
            ),
          }))}
          hidden={hidden}
          onToggle={toggle}
        />
      )}
      {zoomed && (
        <div>
          <Button size="small" onClick={() => setZoomed(null)}>
            {t("zoomOut")}
          </Button>
        </div>
      )}
      <div className={styles.charts}>
        {names.map((name) => (
          <MetricChart
            key={name}
            name={name}
            metric={found.metrics.find((metric) => metric.name === name)}
            lines={linesOf.get(name) ?? []}
            view={view}
            jobs={jobs}
            group={`${group} ${view.axis}`}
            // A part of the steps is no part of the time.
            zoomed={zoomed?.axis === view.axis ? zoomed.extent : null}
            onZoom={(extent) => setZoomed(extent && { axis: view.axis, extent })}
          />
        ))}
      </div>
    </>
  );
}

interface Zoomed {
  axis: ChartAxis;
  extent: Extent;
}

/** What was printed but is not shown, and why. */
function LeftOut({ found: { left_out } }: { found: JobMetrics }) {
  const { t } = useTranslation("metrics");
  const { malformed, example, steps, names } = left_out;
  if (malformed + steps + names === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      title={
        <>
          {malformed > 0 && (
            <div>
              {t("leftOut.malformed", { count: malformed })}
              <code className="mono">{` ${example}`}</code>
            </div>
          )}
          {steps > 0 && <div>{t("leftOut.steps", { count: steps })}</div>}
          {names > 0 && <div>{t("leftOut.names", { count: names })}</div>}
        </>
      }
    />
  );
}
