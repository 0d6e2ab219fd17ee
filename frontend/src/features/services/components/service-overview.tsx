import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { ScalingStep, ServiceDetail, ServiceReplica } from "@/shared/api/types";
import { formatNumber } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { lazyWithRetry } from "@/shared/ui/opening";
import { Facts, Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { StateTag } from "@/shared/workload/components/tags";
import { useEndedReplicas, useReplicas, useSteps } from "../api/services";
import { openRequests, replicaRange, stepParams } from "../model/service";
import { millisWords } from "./service-marks";

const LaterDemand = lazyWithRetry(async () => (await import("./service-demand")).ServiceDemand);

/** The load of now, the replicas that carry it, and why there are so many. */
export function ServiceOverview({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  return (
    <div className="stack">
      <Panel title={t("load.title")}>
        <LoadFacts service={service} />
      </Panel>
      <Panel title={t("replicas.title")}>
        <ReplicaTables serviceId={service.id} />
      </Panel>
      <Panel title={t("learned.title")}>
        <LaterDemand service={service} />
      </Panel>
      <Panel title={t("steps.title")}>
        <QueryBoundary query={useSteps(service.id)}>
          {(steps) => <StepList steps={steps} />}
        </QueryBoundary>
      </Panel>
    </div>
  );
}

function LoadFacts({ service: { id, replicas } }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const rows = useReplicas(id).data;
  const number = (value: number) => formatNumber(value, language, 0);
  const open = rows ? number(openRequests(rows)) : "–";
  const stages = (["waiting", "starting", "draining", "ending"] as const).filter(
    (stage) => replicas[stage] > 0,
  );
  return (
    <Facts
      facts={[
        [
          t("load.open"),
          <span className="num" key="open">
            {open}
          </span>,
        ],
        [t("load.ready"), t("replicasOf", { ...replicas })],
        ...stages.map((stage) => [t(`load.${stage}`), number(replicas[stage])] as const),
        [t("load.bounds"), replicaRange(replicas)],
      ]}
    />
  );
}

/** Those that have not ended; the others below, once somebody unfolds them. */
function ReplicaTables({ serviceId }: { serviceId: string }) {
  const { t } = useTranslation("services");
  const [isUnfolded, setUnfolded] = useState(false);
  const ended = useEndedReplicas(serviceId, isUnfolded);
  const columns = useReplicaColumns();
  const common = { columns, rowKey: ({ id }: ServiceReplica) => id };
  return (
    <div className="stack">
      <ListOfQuery
        {...common}
        id="service-replicas"
        query={useReplicas(serviceId)}
        label={t("replicas.title")}
        sortName="replicas"
        empty={<p className="quiet">{t("replicas.none")}</p>}
      />
      <details onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
        <summary>{t("replicas.ended")}</summary>
        {isUnfolded && (
          <ListOfQuery
            {...common}
            id="service-replicas-ended"
            query={ended}
            label={t("replicas.ended")}
            sortName="ended"
            empty={<p className="quiet">{t("replicas.noneEnded")}</p>}
          />
        )}
      </details>
    </div>
  );
}

function useReplicaColumns(): ListColumn<ServiceReplica>[] {
  const { t } = useTranslation("services");
  return [
    {
      key: "name",
      title: t("column.name"),
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link to="/replicas/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    {
      key: "state",
      title: t("column.status"),
      value: ({ stage, state }) => stage ?? state,
      cell: (replica) => <ReplicaStateCell replica={replica} />,
    },
    {
      key: "revision",
      title: t("column.revision"),
      isShort: true,
      value: ({ revision }) => revision,
      cell: ({ revision }) => <span className="num">{revision}</span>,
    },
    {
      key: "open",
      title: t("load.open"),
      isShort: true,
      value: ({ open_requests }) => open_requests,
      cell: ({ open_requests }) => <span className="num">{open_requests}</span>,
    },
    {
      key: "since",
      title: t("replicas.since"),
      value: ({ started_at, created_at }) => started_at ?? created_at,
      cell: ({ finished_at, started_at, created_at }) => (
        <Age at={finished_at ?? started_at ?? created_at} />
      ),
    },
  ];
}

/** How far it is as a replica; of one that has ended, how and why. */
function ReplicaStateCell({ replica }: { replica: ServiceReplica }) {
  const { t } = useTranslation("services");
  const causeSentence = useCauseSentence();
  const { stage, state, cause, draining_since } = replica;
  const params = (cause?.params ?? {}) as Record<string, unknown>;
  return (
    <>
      {stage ? t(`stage.${stage}`) : <StateTag state={state as never} isPast />}
      {draining_since && stage === "ready" && (
        <p className="second note">
          {t("replicas.draining")} <Age at={draining_since} />
        </p>
      )}
      {cause && stage === null && (
        <p className="second note">{causeSentence(cause.code, params)}</p>
      )}
    </>
  );
}

function StepList({ steps }: { steps: readonly ScalingStep[] }) {
  const { t } = useTranslation("services");
  const words = useStepWords();
  if (steps.length === 0) return <p className="quiet">{t("steps.none")}</p>;
  return (
    <ol aria-label={t("steps.title")} style={{ margin: 0, paddingInlineStart: 20 }}>
      {steps.map((step) => (
        <li key={step.id}>
          {step.before !== step.after && (
            <strong className="num">
              {step.before} → {step.after}{" "}
            </strong>
          )}
          {words(step)}{" "}
          <span className="quiet">
            · <Age at={step.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** A decision in a sentence with its numbers. */
function useStepWords(): (step: ScalingStep) => string {
  const coded = useCodedText();
  const language = useLanguage();
  return ({ code, params }) => {
    const words = stepParams(
      params as Record<string, number>,
      (millis) => millisWords(millis, language),
      (amount) => formatNumber(amount, language),
    );
    return coded(`services:step.${code}`, words) ?? code;
  };
}
