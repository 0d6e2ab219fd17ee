/** Metrics that jobs print: their list, their lines, and the results of an array. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useFallbackInterval, useTopics } from "@/shared/live/live";

const metricKeys = {
  list: (jobId: string, rank: number) => ["metrics", "list", jobId, rank] as const,
  lines: (question: object) => ["metrics", "lines", question] as const,
  results: (question: object) => ["metrics", "results", question] as const,
};

/** What one rank of a job has printed; moves by itself. */
export function useJobMetrics(jobId: string, rank: number) {
  const queryKey = metricKeys.list(jobId, rank);
  useTopics([`metrics:${jobId}`], [queryKey]);
  return useQuery({
    queryKey,
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/jobs/{workload_id}/metrics", {
          params: { path: { workload_id: jobId }, query: { rank } },
        }),
      ),
    refetchInterval: useFallbackInterval(),
  });
}

export interface LinesQuestion {
  jobId: string;
  others: readonly string[];
  names: readonly string[];
  rank: number;
}

/** Many lines are large: they are fetched once in this time. */
const GATHER_MS = 500;

/** The lines of a job, and of those that it is compared with; they grow by themselves. */
export function useChartLines({ jobId, others, names, rank }: LinesQuestion) {
  const queryKey = metricKeys.lines({ jobId, others, names, rank });
  const topics = [jobId, ...others].map((id) => `metrics:${id}`);
  useTopics(topics, [queryKey], { pauseMs: GATHER_MS });
  return useQuery({
    queryKey,
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/jobs/{workload_id}/metrics/lines", {
          params: {
            path: { workload_id: jobId },
            query: {
              rank,
              names: names.join(","),
              ...(others.length > 0 && { others: others.join(",") }),
            },
          },
        }),
      ),
    enabled: names.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: useFallbackInterval(),
  });
}

/** Where the lines are downloaded as CSV. */
export function linesAddress(jobId: string, rank: number, others: readonly string[]): string {
  const query = new URLSearchParams({ rank: String(rank) });
  if (others.length > 0) query.set("others", others.join(","));
  return `/api/v1/jobs/${jobId}/metrics.csv?${query}`;
}

export interface ResultsQuestion {
  arrayId: string;
  metric: string | null;
  by: "last" | "low" | "high";
  descending: boolean;
}

/** Tasks report often: their table is fetched once in this time while any of them may. */
const RESULTS_MS = 5_000;

/** The tasks of an array, the best first. */
export function useArrayResults(question: ResultsQuestion, isOver: boolean) {
  return useQuery({
    queryKey: metricKeys.results(question),
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/job-arrays/{array_id}/metrics", {
          params: { path: { array_id: question.arrayId }, query: queryOf(question) },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: isOver ? false : RESULTS_MS,
  });
}

/** Where the results are downloaded as CSV. */
export function resultsAddress(question: ResultsQuestion): string {
  const { metric, by, descending } = queryOf(question);
  const query = new URLSearchParams({ by, descending: String(descending) });
  if (metric) query.set("metric", metric);
  return `/api/v1/job-arrays/${question.arrayId}/metrics.csv?${query}`;
}

function queryOf({ metric, by, descending }: ResultsQuestion) {
  return { by, descending, ...(metric !== null && { metric }) };
}
