import { DownloadOutlined, StarFilled } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Radio, Select } from "antd";
import { useState } from "react";
import type { ArrayResults, JobArray, JobMetric, TaskResult } from "@/shared/api/types";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { LinkButton } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { StateTag } from "@/shared/workload/components/tags";
import { type ResultsQuestion, resultsAddress, useArrayResults } from "../api/metrics";
import { type Best, bestOf, joinIds, type Ranking, valueBy } from "../model/comparison";
import { formatMetric, isLowerBetter } from "../model/lines";
import { NoMetrics } from "./metric-chart";
import styles from "./metrics.module.css";

/** The tasks of an array by what they have reached: the results of a sweep. */
export function ResultsTable({ array, isOver }: { array: JobArray; isOver: boolean }) {
  const [metric, setMetric] = useState<string | null>(null);
  const [ranking, setRanking] = useState<Ranking | null>(null);
  const first = useArrayResults({ arrayId: array.id, ...FIRST }, isOver);
  const sortedBy = metric ?? first.data?.sorted_by ?? null;
  const asked = ranking ?? { isBest: true, isLower: sortedBy !== null && isLowerBetter(sortedBy) };
  const question = questionOf(array.id, sortedBy, asked);
  const results = useArrayResults(question, isOver);
  return (
    <QueryBoundary query={results}>
      {(found) =>
        found.names.length === 0 ? (
          <NoMetrics />
        ) : (
          <div className="stack">
            <SortBar
              found={found}
              question={question}
              metric={sortedBy}
              ranking={asked}
              onMetric={(name) => {
                setMetric(name);
                setRanking(null);
              }}
              onRanking={setRanking}
            />
            <Results found={found} metric={sortedBy} ranking={asked} />
          </div>
        )
      }
    </QueryBoundary>
  );
}

const FIRST = { metric: null, by: "last", descending: false } as const;

function questionOf(arrayId: string, metric: string | null, ranking: Ranking): ResultsQuestion {
  const { isBest, isLower } = ranking;
  const best = isLower ? "low" : "high";
  return { arrayId, metric, by: isBest ? best : "last", descending: !isLower };
}

interface SortBarProps {
  found: ArrayResults;
  question: ResultsQuestion;
  metric: string | null;
  ranking: Ranking;
  onMetric: (name: string) => void;
  onRanking: (ranking: Ranking) => void;
}

const COMPARED = 5;

function SortBar({ found, question, metric, ranking, onMetric, onRanking }: SortBarProps) {
  const { t } = useTranslation("metrics");
  const best = found.results.filter(({ metrics }) => metrics.length > 0).slice(0, COMPARED);
  const [head, ...others] = best.map(({ task }) => task.id);
  return (
    <div className={styles.bar}>
      <Select
        aria-label={t("results.metric")}
        value={metric}
        onChange={onMetric}
        popupMatchSelectWidth={false}
        options={found.names.map((name) => ({ value: name, label: name }))}
      />
      <Radio.Group
        size="small"
        optionType="button"
        aria-label={t("results.which")}
        value={ranking.isBest}
        onChange={({ target }) => onRanking({ ...ranking, isBest: target.value as boolean })}
        options={[
          { value: true, label: t("results.best") },
          { value: false, label: t("results.last") },
        ]}
      />
      <Radio.Group
        size="small"
        optionType="button"
        aria-label={t("results.direction")}
        value={ranking.isLower}
        onChange={({ target }) => onRanking({ ...ranking, isLower: target.value as boolean })}
        options={[
          { value: true, label: t("results.lower") },
          { value: false, label: t("results.higher") },
        ]}
      />
      {head && others.length > 0 && (
        <LinkButton
          isPrimary={false}
          to="/jobs/$id"
          params={{ id: head }}
          search={{ tab: "metrics", with: joinIds(others) }}
        >
          {t("results.compare", { count: best.length })}
        </LinkButton>
      )}
      <Button icon={<DownloadOutlined aria-hidden />} href={resultsAddress(question)} download>
        {t("csv")}
      </Button>
    </div>
  );
}

interface ResultsProps {
  found: ArrayResults;
  metric: string | null;
  ranking: Ranking;
}

/** Columns that fit beside the task; the sorted one is the first. */
const COLUMNS_MAX = 7;

function Results({ found, metric, ranking }: ResultsProps) {
  const { t } = useTranslation("metrics");
  const names = found.names.toSorted(
    (one, other) => Number(other === metric) - Number(one === metric),
  );
  const columns: Column<TaskResult>[] = [
    {
      key: "task",
      title: t("results.task"),
      isShort: true,
      cell: ({ task }) => (
        <Link
          to="/jobs/$id"
          params={{ id: task.id }}
          search={{ tab: "metrics" }}
          className={styles.task}
        >
          {t("results.index", { index: task.array_index })}
        </Link>
      ),
    },
    {
      key: "state",
      title: t("results.state"),
      isShort: true,
      cell: ({ task }) => <StateTag state={task.state} />,
    },
    ...names.slice(0, COLUMNS_MAX).map((name) => {
      // Of the others nobody has said which value is good: a learning rate has no best.
      const best =
        name === metric
          ? bestOf(found.results, name, ranking)
          : { ranking: { ...ranking, isLower: isLowerBetter(name) }, task: null };
      return {
        key: `metric:${name}`,
        title: name,
        cell: ({ task, metrics }: TaskResult) => (
          <ResultCell
            metric={metrics.find((each) => each.name === name)}
            best={best}
            task={task.id}
          />
        ),
      };
    }),
  ];
  return (
    <div className={styles.results}>
      <DataTable
        label={t("results.title")}
        columns={columns}
        rows={found.results}
        rowKey={({ task }) => task.id}
      />
    </div>
  );
}

/** One value; the best by which the table is sorted is marked. */
function ResultCell({
  metric,
  best,
  task,
}: {
  metric: JobMetric | undefined;
  best: Best;
  task: string;
}) {
  const { t } = useTranslation("metrics");
  const language = useLanguage();
  const value = metric && valueBy(metric, best.ranking);
  if (value === null || value === undefined) return <span className="num">–</span>;
  if (best.task !== task) return <span className="num">{formatMetric(value, language)}</span>;
  return (
    <span className={`num ${styles.best}`}>
      {formatMetric(value, language)} <StarFilled role="img" aria-label={t("results.isBest")} />
    </span>
  );
}
