import { Button } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { Confirm } from "@/shared/ui/confirm-button";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useCancelJob } from "../api/jobs";

interface CancelButtonProps {
  jobId: string;
  /** Name of the job, where a page has several of these buttons. */
  name?: string;
}

export function CancelButton({ jobId, name }: CancelButtonProps) {
  const { t } = useTranslation("jobs");
  const showProblem = useProblemMessage();
  const cancel = useCancelJob(jobId);
  const run = () => cancel.mutate(undefined, { onError: showProblem });
  return (
    <Confirm
      title={t("cancelQuestion")}
      description={t("cancelAbout")}
      okText={t("cancelConfirm")}
      okButtonProps={{ danger: true }}
      cancelText={t("keep")}
      onConfirm={run}
    >
      {name === undefined ? (
        <Button danger loading={cancel.isPending}>
          {t("cancel")}
        </Button>
      ) : (
        <Button
          danger
          size="small"
          loading={cancel.isPending}
          aria-label={t("cancelNamed", { name })}
        >
          {t("cancelShort")}
        </Button>
      )}
    </Confirm>
  );
}
