import { Alert, Button, Flex } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { NotebookSchedule, NotebookScheduleInput, WorkloadDetail } from "@/shared/api/types";
import { formatDeadline } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { useKeepToday, useRemoveSchedule, useSaveSchedule, useSchedule } from "../api/environments";
import { isStopSoon, type ScheduleForm, scheduleForm, scheduleInput } from "../model/environment";
import { ScheduleFields } from "./schedule-fields";

/** When the notebook starts and stops by itself; its owner sets that here. */
export function SchedulePanel({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation("environments");
  return (
    <Panel title={t("schedule.title")}>
      <QueryBoundary query={useSchedule(environment.id)} rows={2} canRetry={false}>
        {(schedule) => <ScheduleFacts environment={environment} schedule={schedule} />}
      </QueryBoundary>
    </Panel>
  );
}

interface ScheduleFactsProps {
  environment: WorkloadDetail;
  schedule: NotebookSchedule;
}

function ScheduleFacts({ environment, schedule }: ScheduleFactsProps) {
  const { t } = useTranslation("environments");
  const language = useLanguage();
  const now = useNow();
  const isMine = useMe().id === environment.owner.id;
  const [isEdited, setEdited] = useState(false);
  const remover = useRemoveSchedule();
  const say = (at: string) => formatDeadline(new Date(at), now, language);
  const isSet = schedule.days.length > 0;
  return (
    <div className="stack">
      {environment.state === "running" && isStopSoon(schedule, now) && (
        <StopSoon environmentId={environment.id} at={say(schedule.next_stop_at ?? "")} />
      )}
      {!isSet && <p className="quiet">{t("schedule.none")}</p>}
      {schedule.next_start_at && (
        <p>{t("schedule.nextStart", { at: say(schedule.next_start_at) })}</p>
      )}
      {schedule.next_stop_at && <p>{t("schedule.nextStop", { at: say(schedule.next_stop_at) })}</p>}
      {isMine && (
        <Flex gap={8} wrap>
          <Button onClick={() => setEdited(true)}>
            {t(isSet ? "schedule.edit" : "schedule.set")}
          </Button>
          {isSet && (
            <RemoveButton
              id={environment.id}
              label={t("schedule.remove")}
              question={t("schedule.removeQuestion")}
              mutation={remover}
            />
          )}
        </Flex>
      )}
      {isEdited && (
        <ScheduleDialog
          environmentId={environment.id}
          schedule={schedule}
          onClose={() => setEdited(false)}
        />
      )}
    </div>
  );
}

function StopSoon({ environmentId, at }: { environmentId: string; at: string }) {
  const { t } = useTranslation("environments");
  const showProblem = useProblemMessage();
  const keep = useKeepToday(environmentId);
  return (
    <Alert
      showIcon
      type="warning"
      role="status"
      title={t("schedule.stopSoon", { at })}
      action={
        <Button
          loading={keep.isPending}
          onClick={() => keep.mutate(undefined, { onError: showProblem })}
        >
          {t("schedule.keepToday")}
        </Button>
      }
    />
  );
}

interface ScheduleDialogProps {
  environmentId: string;
  schedule: NotebookSchedule;
  onClose: () => void;
}

function ScheduleDialog({ environmentId, schedule, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation("environments");
  return (
    <EntityDialog<ScheduleForm, NotebookScheduleInput>
      action={t("schedule.save")}
      title={t("schedule.title")}
      initial={scheduleForm(schedule)}
      save={useSaveSchedule(environmentId)}
      bodyOf={scheduleInput}
      onClose={onClose}
    >
      <ScheduleFields />
    </EntityDialog>
  );
}
