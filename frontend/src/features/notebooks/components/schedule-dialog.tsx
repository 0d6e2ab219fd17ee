import type { NotebookSchedule, NotebookScheduleInput } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useSaveSchedule } from "../api/notebooks";
import { type ScheduleForm, scheduleForm, scheduleInput } from "../model/notebook";
import { ScheduleFields } from "./schedule-fields";

interface ScheduleDialogProps {
  notebookId: string;
  schedule: NotebookSchedule;
  onClose: () => void;
}

/** When an existing notebook starts and stops by itself. */
export function ScheduleDialog({ notebookId, schedule, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation("notebooks");
  return (
    <EntityDialog<ScheduleForm, NotebookScheduleInput>
      action={t("schedule.save")}
      title={t("schedule.title")}
      initial={scheduleForm(schedule)}
      save={useSaveSchedule(notebookId)}
      bodyOf={scheduleInput}
      onClose={onClose}
    >
      <ScheduleFields />
    </EntityDialog>
  );
}
