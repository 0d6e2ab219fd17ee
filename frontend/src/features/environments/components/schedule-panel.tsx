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
import { useKeepToday, useRemoveSchedule, useSchedule } from "../api/environments";
import { isStopSoon, scheduleDigest, scheduleForm } from "../model/environment";

const LaterSchedule = later(async () => (await import("./schedule-fields")).ScheduleDialog);

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
  const isMine = isMineToOpen(useMe(), environment);
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
              id={environment.id}
              label={t("schedule.remove")}
              question={t("schedule.removeQuestion")}
              mutation={remover}
            />
          )}
        </Flex>
      )}
      {isEdited && (
        <LaterSchedule
          environmentId={environment.id}
          schedule={schedule}
          onClose={() => setEdited(false)}
        />
      )}
    </div>
  );
}

/** Announces the next scheduled stop of a notebook that runs; its owner may skip it. */
export function StopSoon({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation("environments");
  const language = useLanguage();
  const now = useNow();
  const showProblem = useProblemMessage();
  const isMine = isMineToOpen(useMe(), environment);
  const keep = useKeepToday(environment.id);
  const schedule = useSchedule(environment.id).data;
  if (environment.state !== "running" || !schedule || !isStopSoon(schedule, now)) return null;
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
