import { Button, Tag } from "antd";
import { useState } from "react";
import type { ServiceDetail, ServiceRevision } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { commandLine } from "@/shared/submission/model/program";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { MoreActions } from "@/shared/ui/more-actions";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import { useCauseSentence } from "@/shared/workload/components/sentences";
import { useEndCanary, useRevisions, useRollBack } from "../api/services";
import { weightsOf } from "../model/service";

const LaterRevisionDialog = later(async () => (await import("./revision-dialogs")).RevisionDialog);
const LaterCanaryDialog = later(async () => (await import("./revision-dialogs")).CanaryDialog);

/** What its replicas run and ran; a change is a new revision. */
export function RevisionsTab({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const [isChanging, setChanging] = useState(false);
  const [weighed, setWeighed] = useState<number | null>(null);
  const mayChange = canChange(useMe(), service);
  const change = mayChange && (
    <Button size="small" onClick={() => setChanging(true)}>
      {t("revision.change")}
    </Button>
  );
  return (
    <Panel title={t("tab.revisions")} extra={change}>
      <ListOfQuery
        id="service-revisions"
        query={useRevisions(service.id)}
        label={t("tab.revisions")}
        columns={useRevisionColumns(service, mayChange, setWeighed)}
        rowKey={({ number }) => number}
        sortName="revisions"
      />
      {isChanging && <LaterRevisionDialog service={service} onClose={() => setChanging(false)} />}
      {weighed !== null && (
        <LaterCanaryDialog service={service} revision={weighed} onClose={() => setWeighed(null)} />
      )}
    </Panel>
  );
}

function useRevisionColumns(
  service: ServiceDetail,
  mayChange: boolean,
  onWeigh: (revision: number) => void,
): ListColumn<ServiceRevision>[] {
  const { t } = useTranslation("services");
  const weights = weightsOf(service);
  const columns: ListColumn<ServiceRevision>[] = [
    {
      key: "number",
      title: t("column.revision"),
      isShort: true,
      value: ({ number }) => number,
      cell: ({ number }) => <strong className="num">{number}</strong>,
    },
    {
      key: "part",
      title: t("revision.part"),
      isShort: true,
      value: ({ number }) => weights.get(number) ?? 0,
      cell: ({ number }) => <RevisionPart percent={weights.get(number)} />,
    },
    {
      key: "standing",
      title: t("column.status"),
      value: (revision) => t(`revision.standing.${standingOf(revision)}`),
      cell: (revision) => <RevisionStanding revision={revision} />,
    },
    {
      key: "runs",
      title: t("revision.runs"),
      value: ({ spec }) => `${spec.image} ${spec.model}`.trim(),
      cell: ({ spec }) => <Runs spec={spec} />,
    },
    {
      key: "created",
      title: t("revision.created"),
      value: ({ created_at }) => created_at,
      cell: ({ created_at, created_by }) => (
        <>
          <Age at={created_at} />
          <p className="second note">{created_by.display_name || created_by.username}</p>
        </>
      ),
    },
  ];
  if (!mayChange) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (revision) => (
        <RevisionActions
          service={service}
          revision={revision}
          onWeigh={() => onWeigh(revision.number)}
        />
      ),
    },
  ];
}

function RevisionPart({ percent }: { percent: number | undefined }) {
  return percent === undefined ? "–" : <span className="num">{percent} %</span>;
}

type Standing = "failed" | "proved" | "open";

function standingOf({ failed_at, proved_at }: ServiceRevision): Standing {
  if (failed_at) return "failed";
  return proved_at ? "proved" : "open";
}

const COLORS: Record<Standing, string> = { failed: "error", proved: "success", open: "default" };

/** Whether a replica of it has stayed up; of one that was given up, why. */
function RevisionStanding({ revision }: { revision: ServiceRevision }) {
  const { t } = useTranslation("services");
  const causeSentence = useCauseSentence();
  const { failure } = revision;
  const standing = standingOf(revision);
  return (
    <>
      <Tag color={COLORS[standing]}>{t(`revision.standing.${standing}`)}</Tag>
      {failure && (
        <p className="second note">
          {causeSentence(failure.code, (failure.params ?? {}) as Record<string, unknown>)}
        </p>
      )}
    </>
  );
}

function Runs({ spec }: { spec: ServiceRevision["spec"] }) {
  const words = commandLine([...spec.command, ...spec.arguments]);
  return (
    <>
      {spec.image}
      {spec.model && <p className="second note">{spec.model}</p>}
      {words && (
        <p className="second note">
          <code className="mono">{words}</code>
        </p>
      )}
    </>
  );
}

interface RevisionActionsProps {
  service: ServiceDetail;
  revision: ServiceRevision;
  onWeigh: () => void;
}

/** Back to it, a part of the requests for it, and how that ends. */
function RevisionActions({ service, revision, onWeigh }: RevisionActionsProps) {
  const { t } = useTranslation("services");
  const { id, canary } = service;
  const { number, failed_at } = revision;
  const rollBack = useRollBack(id);
  const endCanary = useEndCanary(id);
  if (number === service.revision || failed_at) return null;
  const isCanary = canary?.revision === number;
  return (
    <MoreActions label={t("revision.more", { number })}>
      {!isCanary && (
        <ConfirmButton
          action={t("revision.rollBack")}
          label={t("revision.rollBackTo", { number })}
          question={t("revision.rollBackQuestion", { number, from: service.revision })}
          mutation={rollBack}
          input={number}
        />
      )}
      <Button size="small" aria-label={t("revision.weighOf", { number })} onClick={onWeigh}>
        {t("revision.weigh")}
      </Button>
      {isCanary && (
        <>
          <ConfirmButton
            action={t("revision.take")}
            label={t("revision.takeOf", { number })}
            question={t("revision.takeQuestion", { number, from: service.revision })}
            mutation={endCanary}
            input={true}
          />
          <ConfirmButton
            action={t("revision.drop")}
            label={t("revision.dropOf", { number })}
            question={t("revision.dropQuestion", { number, from: service.revision })}
            isDangerous
            mutation={endCanary}
            input={false}
          />
        </>
      )}
    </MoreActions>
  );
}
