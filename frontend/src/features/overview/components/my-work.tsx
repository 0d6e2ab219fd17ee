import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Workload } from "@/shared/api/types";
import { formatNumber, formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useChosenGroup } from "@/shared/session/me";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Hinted } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { bothOf, EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Sparkline } from "@/shared/ui/sparkline";
import { Age, Elapsed, Remaining, useNow } from "@/shared/ui/time";
import { useStopWork } from "@/shared/workload/api/row-actions";
import { useWorkloads } from "@/shared/workload/api/workloads";
import { OpenButton } from "@/shared/workload/components/open-button";
import { useCauseSentence, useSureWords } from "@/shared/workload/components/sentences";
import { StateTag } from "@/shared/workload/components/tags";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { WorkloadTable } from "@/shared/workload/components/workload-table";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import { spanOf } from "@/shared/workload/model/reasons";
import { useEndedWork, useGpuUse } from "../api/own-work";
import { glanceOf, usesGpu } from "../model/overview";
import styles from "./overview.module.css";

/** What of mine runs, then what waits, as far as it goes on one screen; the lists have the rest. */
export function MyWork({ welcome }: { welcome: (otherwise: ReactNode) => ReactNode }) {
  const { t } = useTranslation("overview");
  const maySubmit = useCanSubmit();
  const group = useChosenGroup();
  const mine = { owner: "me", collapsed: true, ...(group && { group }) } as const;
  const running = useWorkloads({ ...mine, state: "running" });
  const active = useWorkloads({ ...mine, active: true });
  const text = t(maySubmit ? "empty.text" : "empty.onlyReading");
  const nothing = <EmptyState title={t("empty.title")} text={text} />;
  const empty = maySubmit ? welcome(nothing) : nothing;
  return (
    <Panel title={t("now")}>
      <QueryBoundary query={bothOf(running, active)} rows={6}>
        {([running, active]) => <Glance {...glanceOf(running, active)} empty={empty} />}
      </QueryBoundary>
    </Panel>
  );
}

function Glance({ shown, hasMore, empty }: ReturnType<typeof glanceOf> & { empty: ReactNode }) {
  const { t } = useTranslation("overview");
  const columns = useNowColumns(shown);
  if (shown.length === 0) return empty;
  return (
    <>
      <WorkloadTable label={t("now")} workloads={shown} more={columns} />
      {hasMore && (
        <p className={styles.rest}>
          {t("rest")}{" "}
          <Link to="/notebooks" search={{ mine: true }}>
            {t("allNotebooks")}
          </Link>{" "}
          ·{" "}
          <Link to="/jobs" search={{ mine: true }}>
            {t("allJobs")}
          </Link>
        </p>
      )}
    </>
  );
}

/** How each uses its GPUs, what comes next for it, and what may be done with it at once. */
function useNowColumns(shown: readonly Workload[]): Column<Workload>[] {
  const { t } = useTranslation("overview");
  const running = shown.filter((work) => work.state === "running" && !work.array && usesGpu(work));
  const uses = useGpuUse(running);
  return [
    ...(running.length > 0
      ? [
          {
            key: "use",
            isShort: true,
            title: t("column.use"),
            cell: ({ id }: Workload) => <GpuUse values={uses?.get(id)} />,
          },
        ]
      : []),
    {
      key: "next",
      isShort: true,
      title: t("column.next"),
      cell: (work) => <NextMoment work={work} />,
    },
    { key: "action", title: t("column.action"), cell: (work) => <Acts work={work} /> },
  ];
}

/** The last hour as a curve, and how much it was last. */
function GpuUse({ values }: { values: readonly (number | null)[] | undefined }) {
  const { t } = useTranslation("overview");
  const language = useLanguage();
  const last = values?.findLast((value) => value !== null) ?? null;
  if (!values || last === null) return "–";
  const amount = t("percent", { value: formatNumber(last, language) });
  return (
    <span className={styles.use}>
      <Sparkline values={values} most={100} label={t("useOfHour", { amount })} />
      <span className="num">{amount}</span>
    </span>
  );
}

/** How long it may still run, or when it is expected to start. */
function NextMoment({ work: { state, ends_at, expected_start } }: { work: Workload }) {
  const { t } = useTranslation("overview");
  const language = useLanguage();
  const sure = useSureWords();
  const now = useNow();
  if (state === "running" && ends_at) {
    return (
      <span className="num">
        <Remaining until={ends_at} />
      </span>
    );
  }
  if (state !== "queued" || !expected_start) return "–";
  const span = spanOf(expected_start, now);
  const at = formatWhen(span.form === "about" ? span.at : span.to, now, language);
  return (
    <Hinted title={sure(expected_start)}>
      <span className="num">{t(span.form === "about" ? "starts.about" : "starts.by", { at })}</span>
    </Hinted>
  );
}

function Acts({ work }: { work: Workload }) {
  const { t } = useTranslation("overview");
  const stop = useStopWork();
  const { id, kind, name, state, array, is_ready } = work;
  return (
    <span className={styles.acts}>
      {is_ready && <OpenButton workload={work} size="small" />}
      {isStoppable(state) && !array && (
        <ConfirmButton
          action={t("stop.action")}
          label={t("stop.label", { name })}
          question={t("stop.question")}
          mutation={stop}
          input={{ id, kind }}
        />
      )}
    </span>
  );
}

const SHOWN_MAX = 6;

/** What of mine has ended since my last visit, each with how; nothing where nothing has. */
export function EndedWork() {
  const { t } = useTranslation("overview");
  const { since, ended, isPending } = useEndedWork(useChosenGroup());
  const cause = useCauseSentence();
  if (isPending || ended.length === 0) return null;
  const more = ended.length - SHOWN_MAX;
  const columns: Column<Workload>[] = [
    { key: "name", title: t("column.name"), cell: (work) => <WorkloadLink workload={work} /> },
    {
      key: "state",
      isShort: true,
      title: t("column.outcome"),
      cell: ({ state }) => <StateTag state={state} />,
    },
    {
      key: "why",
      title: t("column.why"),
      cell: ({ state, cause: code, cause_params, exit_code }) => {
        if (state === "succeeded") return "–";
        const words = cause(code, cause_params);
        return exit_code ? t("ended.code", { cause: words, code: exit_code }) : words;
      },
    },
    {
      key: "ran",
      isShort: true,
      title: t("column.ran"),
      cell: ({ started_at, finished_at }) =>
        started_at ? <Elapsed since={started_at} until={finished_at} /> : "–",
    },
    {
      key: "ended",
      isShort: true,
      title: t("column.ended"),
      cell: ({ finished_at }) => <Age at={finished_at} />,
    },
  ];
  return (
    <Panel
      title={t("ended.title")}
      extra={
        <span className={styles.hint}>
          {t("ended.since")} <Age at={since} />
        </span>
      }
    >
      <DataTable
        label={t("ended.title")}
        columns={columns}
        rows={ended.slice(0, SHOWN_MAX)}
        rowKey={({ id }) => id}
      />
      {more > 0 && <p className="second">{t("ended.more", { count: more })}</p>}
    </Panel>
  );
}
