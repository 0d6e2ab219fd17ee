import { Alert, Button, Flex } from "antd";
import { useState } from "react";
import type { NotebookSchedule, WorkloadDetail } from "@/shared/api/types";
import { formatDeadline } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isMineToOpen } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { Facts, Panel } from "@/shared/ui/page";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { useKeepToday, useRemoveSchedule, useSchedule } from "../api/notebooks";
import { isStopSoon, scheduleDigest, scheduleForm } from "../model/notebook";

const LaterSchedule = later(async () => (await import("./schedule-dialog")).ScheduleDialog);

/** When the notebook starts and stops by itself; its owner sets that here. */
export function SchedulePanel({ notebook }: { notebook: WorkloadDetail }) {
  const { t } = useTranslation("notebooks");
  return (
    <Panel title={t("schedule.title")}>
      <QueryBoundary query={useSchedule(notebook.id)} rows={2} canRetry={false}>
        {(schedule) => <ScheduleFacts notebook={notebook} schedule={schedule} />}
      </QueryBoundary>
    </Panel>
  );
}

interface ScheduleFactsProps {
  notebook: WorkloadDetail;
  schedule: NotebookSchedule;
}

function ScheduleFacts({ notebook, schedule }: ScheduleFactsProps) {
  const { t } = useTranslation("notebooks");
  const language = useLanguage();
  const now = useNow();
  const isMine = isMineToOpen(useMe(), notebook);
  const [isEdited, setEdited] = useState(false);
  const remover = useRemoveSchedule();
  const next = (name: "schedule.nextStart" | "schedule.nextStop", at: string | null) =>
    at ? [[t(name), formatDeadline(new Date(at), now, language)] as const] : [];
  const isSet = schedule.days.length > 0;
  return (
    <div className="stack">
      {isSet ? (
        <Facts
          facts={[
            [t("schedule.weekly"), scheduleDigest(scheduleForm(schedule), language)],
            ...next("schedule.nextStart", schedule.next_start_at),
            ...next("schedule.nextStop", schedule.next_stop_at),
          ]}
        />
      ) : (
        <p className="quiet">{t("schedule.none")}</p>
      )}
      {isMine && (
        <Flex gap={8} wrap>
          <Button size="small" onClick={() => setEdited(true)}>
            {t(isSet ? "schedule.edit" : "schedule.set")}
          </Button>
          {isSet && (
            <RemoveButton
              id={notebook.id}
              label={t("schedule.remove")}
              question={t("schedule.removeQuestion")}
              mutation={remover}
            />
          )}
        </Flex>
      )}
      {isEdited && (
        <LaterSchedule
          notebookId={notebook.id}
          schedule={schedule}
          onClose={() => setEdited(false)}
        />
      )}
    </div>
  );
}

/** Announces the next scheduled stop of a notebook that runs; its owner may skip it. */
export function StopSoon({ notebook }: { notebook: WorkloadDetail }) {
  const { t } = useTranslation("notebooks");
  const language = useLanguage();
  const now = useNow();
  const showProblem = useProblemMessage();
  const isMine = isMineToOpen(useMe(), notebook);
  const keep = useKeepToday(notebook.id);
  const schedule = useSchedule(notebook.id).data;
  if (notebook.state !== "running" || !schedule || !isStopSoon(schedule, now)) return null;
  const at = formatDeadline(new Date(schedule.next_stop_at ?? ""), now, language);
  return (
    <Alert
      showIcon
      type="warning"
      role="status"
      title={t("schedule.stopSoon", { at })}
      action={
        isMine && (
          <Button
            size="small"
            loading={keep.isPending}
            onClick={() => keep.mutate(undefined, { onError: showProblem })}
          >
            {t("schedule.keepToday")}
          </Button>
        )
      }
    />
  );
}
