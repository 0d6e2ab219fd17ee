import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "@/shared/i18n/language";
import { NativeSelect } from "@/shared/ui/controls";
import { Panel } from "@/shared/ui/page";
import { type ChartPart, firstRanks, RANKS_MAX, type Subject } from "../model/charts";
import type { Run } from "../model/ranges";
import { UsageCharts } from "./usage-charts";

interface ScopedChartsProps {
  /** What is charted unless the address names one of the parts, and how it is called. */
  whole: Subject;
  title: string;
  parts: readonly (ChartPart & { title: string })[];
}

/** Charts of a whole or of one of its parts, which stands in the address. */
export function ScopedCharts({ whole, title, parts }: ScopedChartsProps) {
  const { t } = useTranslation("telemetry");
  const navigate = useNavigate();
  const { scope }: { scope?: unknown } = useSearch({ strict: false });
  const part = parts.find(({ id }) => id === scope);
  const choose = (id: string) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, scope: id || undefined })) as never,
      replace: true,
      resetScroll: false,
    });
  const picker = (
    <NativeSelect
      label={t("scope.label")}
      value={part?.id ?? ""}
      onChoose={choose}
      options={[
        { value: "", label: title },
        ...parts.map(({ id, title }) => ({ value: id, label: title })),
      ]}
    />
  );
  return (
    <Panel title={t("title")} extra={parts.length > 1 && picker}>
      <UsageCharts key={part?.id ?? ""} subject={part ?? whole} />
    </Panel>
  );
}

interface RankChartsProps {
  id: string;
  replicas: number;
  run: Run;
}

/** Charts of a workload's ranks, some at a time; which ones stands in the address. */
export function RankCharts({ id, replicas, run }: RankChartsProps) {
  const { t } = useTranslation("telemetry");
  const navigate = useNavigate();
  const { rank }: { rank?: unknown } = useSearch({ strict: false });
  const firsts = firstRanks(replicas);
  const firstRank = firsts.find((first) => first === Number(rank)) ?? 0;
  const choose = (first: number) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, rank: first || undefined })) as never,
      replace: true,
      resetScroll: false,
    });
  const picker = firsts.length > 1 && (
    <NativeSelect
      label={t("ranksLabel")}
      value={String(firstRank)}
      onChoose={(first) => choose(Number(first))}
      options={firsts.map((first) => ({
        value: String(first),
        label: t("ranks", { first, last: Math.min(first + RANKS_MAX, replicas) - 1 }),
      }))}
    />
  );
  const subject = { kind: "workload", id, firstRank } as const;
  return <UsageCharts key={firstRank} subject={subject} run={run} picker={picker} />;
}
