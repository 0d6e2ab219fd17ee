import { Modal } from "antd";
import { DrainQuestion } from "@/features/nodes/components/drain-question";
import type { QuickAct } from "@/features/palette/model/commands";
import type { ListedWorkload } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useStopWork } from "@/shared/workload/api/row-actions";

interface QuickQuestionProps {
  act: Exclude<QuickAct, { verb: "open" }>;
  onClose: () => void;
}

/** Asks before something is done that was chosen by keys: the same as the button beside it would. */
export function QuickQuestion({ act, onClose }: QuickQuestionProps) {
  return act.verb === "drain" ? (
    <DrainQuestion node={act.node} onClose={onClose} />
  ) : (
    <StopQuestion work={act.work} onClose={onClose} />
  );
}

function StopQuestion({ work, onClose }: { work: ListedWorkload; onClose: () => void }) {
  const { t } = useTranslation(["overview", "ui"]);
  const stop = useStopWork();
  const showProblem = useProblemMessage();
  return (
    <Modal
      open
      title={t("overview:stop.label", { name: work.name })}
      okText={t("overview:stop.action")}
      okButtonProps={{ danger: true }}
      cancelText={t("ui:cancel")}
      confirmLoading={stop.isPending}
      onOk={() => stop.mutate(work, { onError: showProblem, onSettled: onClose })}
      onCancel={onClose}
    >
      <p>{t("overview:stop.question")}</p>
    </Modal>
  );
}
