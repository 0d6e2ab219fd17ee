import { Button, Flex } from "antd";
import { useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canSubmitIn } from "@/shared/session/roles";
import { later } from "@/shared/ui/opening";
import { LinkButton, Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { formRouteOf, submittedKind } from "@/shared/workload/model/kinds";
import { manifestAddress, useManifest } from "../api/submission";
import { settingsOf } from "../model/templates";

const LaterTemplate = later(async () => (await import("./template-dialog")).TemplateDialog);

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
