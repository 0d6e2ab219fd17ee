import { App, Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import { useProblemText } from "@/shared/api/use-problem-text";
import { useCancelJob } from "../api/use-cancel-job";

export function CancelButton({ jobId }: { jobId: string }) {
  const { t } = useTranslation("jobs");
  const { message } = App.useApp();
  const describe = useProblemText();
  const cancel = useCancelJob(jobId);
  const run = () =>
    cancel.mutate(undefined, {
      onError: (error) => void message.error(describe(problemOf(error))),
    });
  return (
    <Popconfirm
      title={t("cancelQuestion")}
      description={t("cancelAbout")}
      okText={t("cancelConfirm")}
      okButtonProps={{ danger: true }}
      cancelText={t("keep")}
      onConfirm={run}
    >
      <Button danger loading={cancel.isPending}>
        {t("cancel")}
      </Button>
    </Popconfirm>
  );
}
