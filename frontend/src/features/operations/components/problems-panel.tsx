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

/** Is everything well: one line for each thing that is not. */
export function ProblemsPanel({ overview }: { overview: Overview }) {
  const { t } = useTranslation("operations");
  const { problems, as_of } = overview;
  return (
    <Panel
      title={t("problems.title")}
      extra={
        <span className="second">
          {t("problems.asOf")} <Age at={as_of} />
        </span>
      }
    >
      <ul className={styles.problems}>
        {isWell(overview) && (
          <li data-severity="well">
            <CheckCircleFilled aria-hidden />
            <span>{t("problems.none")}</span>
          </li>
        )}
        {problems.map((problem) => (
          <ProblemLine key={problem.code} problem={problem} />
        ))}
      </ul>
    </Panel>
  );
}

function ProblemLine({ problem }: { problem: ClusterProblem }) {
  const { t } = useTranslation("operations");
  const { code, severity, count, since, subjects } = problem;
  const Icon = ICONS[severity];
  const more = count - subjects.length;
  return (
    <li data-severity={severity}>
      <Icon aria-hidden />
      <span>
        <span className="visually-hidden">{t(`severity.${severity}`)}: </span>
        <ProblemLink code={code}>{t(`problem.${code}`, { count })}</ProblemLink>
        {since && (
          <>
            {" "}
            <span className="quiet">
              · <Age at={since} />
            </span>
          </>
        )}
        {subjects.length > 0 && (
          <span className="second">
            {subjects.map((subject, at) => (
              <Fragment key={subject.name}>
                {at > 0 && " · "}
                <Link to="/nodes/$id" params={{ id: subject.node }}>
                  {subject.name}
                </Link>{" "}
                <DetailWords code={code} detail={subject.detail} />
              </Fragment>
            ))}
            {more > 0 && ` · ${t("problems.more", { count: more })}`}
          </span>
        )}
      </span>
    </li>
  );
}

/** Leads to where one acts. */
function ProblemLink({ code, children }: { code: ClusterProblem["code"]; children: ReactNode }) {
  switch (code) {
    case "alarms_firing":
      return <Link to="/alarms">{children}</Link>;
    case "scheduler_silent":
      return <Link to="/queue">{children}</Link>;
    case "gpus_faulty":
      return (
        <Link to="/nodes/map" search={{ state: "faulty" }}>
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
  const words = {
    nodes_down: coded(`cluster:nodeState.${detail}`),
    nodes_held: coded(`operations:hold.${detail}`),
    nodes_warn: coded(`nodes:fault.${detail}`),
    gpus_faulty: xid
      ? t("nodes:cardXid", { number: xid })
      : (coded(`nodes:cardFault.${detail}`) ?? coded(`nodes:cardState.${detail}`)),
  }[code as string];
  return <>({withoutStop(words ?? detail)})</>;
}
