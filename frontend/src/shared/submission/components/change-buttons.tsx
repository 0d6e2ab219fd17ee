/** What may be done with the settings of work on its page. */
import { Button, Flex } from "antd";
import { useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useApprovals } from "@/shared/approvals/api/approvals";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange, canSubmitIn } from "@/shared/session/roles";
import { later } from "@/shared/ui/opening";
import { LinkButton, Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { formRouteOf, submittedKind } from "@/shared/workload/model/kinds";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import { manifestAddress, useManifest } from "../api/submission";
import { settingsOf } from "../model/templates";

const LaterChange = later(async () => (await import("./change-dialogs")).ChangeDialog);
const LaterExtend = later(async () => (await import("./change-dialogs")).ExtendDialog);
const LaterTemplate = later(async () => (await import("./template-dialog")).TemplateDialog);

/** Changes what waiting work, or a stopped notebook, asks for. */
export function ChangeButton({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const isOpenToChange = workload.state === "queued" || workload.state === "suspended";
  if (!isOpenToChange || !canChange(me, workload)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("change.open")}</Button>
      {isOpen && <LaterChange workload={workload} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Gives work a longer time limit, or asks for one where the policy does not allow it. */
export function ExtendButton({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const isOffered = isStoppable(workload.state) && canChange(me, workload);
  return (
    <>
      {isOffered && <Button onClick={() => setOpen(true)}>{t("extend.open")}</Button>}
      {isOpen && <LaterExtend workload={workload} onClose={() => setOpen(false)} />}
    </>
  );
}

/** That a longer time was requested and nobody has decided yet. */
export function PendingRequest({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const waiting = useApprovals({ workload: workload.id, state: "pending" }).data?.[0];
  const asked = waiting?.asked.time_limit_s;
  if (!waiting || typeof asked !== "number") return null;
  return (
    <p data-testid="pending-request" style={{ margin: 0 }}>
      {t("extend.waiting", { asked: formatDuration(asked, language) })}{" "}
      {t(`extend.decider.${waiting.decider}`)}
    </p>
  );
}

/** The ways to use the settings of work again: a copy, a template, a file. */
export function ReusePanel({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("submission");
  const me = useMe();
  const { id, group } = workload;
  const kind = submittedKind(workload);
  return (
    <Panel title={t("reuse.title")}>
      <Flex gap={8} wrap>
        {canSubmitIn(me, group.id) && (
          <LinkButton isPrimary={false} to={formRouteOf(kind)} search={{ from: id }}>
            {t("reuse.copy")}
          </LinkButton>
        )}
        <TemplateOfWork workload={workload} />
        <Button href={manifestAddress(kind, id)} download={`${workload.name}.yaml`}>
          {t("reuse.yaml")}
        </Button>
      </Flex>
    </Panel>
  );
}

/** Stores the settings of work as a template. */
function TemplateOfWork({ workload }: { workload: WorkloadDetail }) {
  const { id } = workload;
  const kind = submittedKind(workload);
  const { t } = useTranslation("submission");
  const showProblem = useProblemMessage();
  const [settings, setSettings] = useState<Record<string, unknown> | null>(null);
  const manifest = useManifest(kind, id);
  const open = async () => {
    const { data, error } = manifest.data ? manifest : await manifest.refetch();
    if (data) setSettings(settingsOf(data));
    else if (error) showProblem(error);
  };
  return (
    <>
      <Button onClick={() => void open()}>{t("template.save")}</Button>
      {settings && (
        <LaterTemplate
          kind={kind}
          terms={{ settings, locked: [], ranges: {} }}
          onClose={() => setSettings(null)}
        />
      )}
    </>
  );
}
