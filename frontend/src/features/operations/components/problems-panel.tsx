import {
  CheckCircleFilled,
  CloseCircleFilled,
  InfoCircleFilled,
  WarningFilled,
} from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { ClusterProblem, Overview } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import { isWell } from "../model/operations";
import styles from "./operations.module.css";

const ICONS = {
  critical: CloseCircleFilled,
  warning: WarningFilled,
  info: InfoCircleFilled,
} as const;

/** Is everything well: the most urgent cause is the title, and each other one a line. */
export function ProblemsPanel({ overview }: { overview: Overview }) {
  const { t } = useTranslation("operations");
  const { problems, as_of } = overview;
  const worst = isWell(overview) ? undefined : problems[0];
  return (
    <Panel
      title={t("problems.title")}
      heading={worst ? <WorstProblem problem={worst} /> : <AllWell />}
      extra={
        <span className="second">
          {t("problems.asOf")} <Age at={as_of} />
        </span>
      }
    >
      {worst && <Subjects problem={worst} />}
      <ul className={styles.problems}>
        {problems
          .filter((problem) => problem !== worst)
          .map((problem) => (
            <ProblemLine key={problem.code} problem={problem} />
          ))}
      </ul>
    </Panel>
  );
}

function AllWell() {
  const { t } = useTranslation("operations");
  return (
    <span className={styles.verdict} data-severity="well">
      <CheckCircleFilled aria-hidden />
      <span>{t("problems.none")}</span>
    </span>
  );
}

function WorstProblem({ problem: { code, severity, count } }: { problem: ClusterProblem }) {
  return (
    <span className={styles.verdict} data-severity={severity}>
      <ProblemWords code={code} severity={severity} count={count} />
    </span>
  );
}

function ProblemLine({ problem }: { problem: ClusterProblem }) {
  const { code, severity, count } = problem;
  return (
    <li data-severity={severity}>
      <ProblemWords code={code} severity={severity} count={count}>
        <Subjects problem={problem} />
      </ProblemWords>
    </li>
  );
}

interface ProblemWordsProps extends Pick<ClusterProblem, "code" | "severity" | "count"> {
  children?: ReactNode;
}

function ProblemWords({ code, severity, count, children }: ProblemWordsProps) {
  const { t } = useTranslation("operations");
  const Icon = ICONS[severity];
  return (
    <>
      <Icon aria-hidden />
      <span>
        <span className="visually-hidden">{t(`severity.${severity}`)}: </span>
        <ProblemLink code={code}>{t(`problem.${code}`, { count })}</ProblemLink>
        {children}
      </span>
    </>
  );
}

/** Since when, and what has it. */
function Subjects({ problem: { code, count, since, subjects } }: { problem: ClusterProblem }) {
  const { t } = useTranslation("operations");
  const more = count - subjects.length;
  if (subjects.length === 0 && !since) return null;
  return (
    <span className="second">
      {since && <Age at={since} />}
      {subjects.map((subject, at) => (
        <Fragment key={subject.name}>
          {(at > 0 || since) && " · "}
          <Link to="/nodes/$id" params={{ id: subject.node }}>
            {subject.name}
          </Link>{" "}
          <DetailWords code={code} detail={subject.detail} />
        </Fragment>
      ))}
      {subjects.length > 0 && more > 0 && ` · ${t("problems.more", { count: more })}`}
    </span>
  );
}

/** Leads to where one acts. */
function ProblemLink({ code, children }: { code: ClusterProblem["code"]; children: ReactNode }) {
  switch (code) {
    case "alarms_firing":
      return <Link to="/alarms">{children}</Link>;
    case "scheduler_silent":
      return <Link to="/queue">{children}</Link>;
    case "gpus_lost":
    case "gpus_faulty":
      return (
        <Link to="/nodes/map" search={{ state: code === "gpus_lost" ? "lost" : "faulty" }}>
          {children}
        </Link>
      );
    case "nodes_down":
    case "nodes_warn":
      return (
        <Link to="/nodes" search={{ as: "list", attention: true }}>
          {children}
        </Link>
      );
    case "nodes_held":
      return (
        <Link to="/nodes" search={{ as: "list", sort: "state" }}>
          {children}
        </Link>
      );
    case "redis_away":
      return children;
    default:
      return <Link to="/nodes">{children}</Link>;
  }
}

/** Sentences stand in brackets here. */
function withoutStop(words: string): string {
  return words.replace(/[.\u3002]$/, "");
}

/** State, hold or fault in words, in brackets. */
function DetailWords({ code, detail }: { code: ClusterProblem["code"]; detail: string }) {
  const { t } = useTranslation(["operations", "nodes"]);
  const coded = useCodedText();
  const xid = /^xid_(\d+)$/.exec(detail)?.[1];
  const fault = xid
    ? t("nodes:cardXid", { number: xid })
    : (coded(`nodes:cardFault.${detail}`) ?? coded(`nodes:cardState.${detail}`));
  const words = {
    nodes_down: coded(`cluster:nodeState.${detail}`),
    nodes_held: coded(`operations:hold.${detail}`),
    nodes_warn: coded(`nodes:fault.${detail}`),
    gpus_lost: fault,
    gpus_faulty: fault,
  }[code as string];
  return <>({withoutStop(words ?? detail)})</>;
}
