import { Alert, Button } from "antd";
import { useEffect, useState } from "react";
import type { WorkloadDetail } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canSubmitIn } from "@/shared/session/roles";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useOpenHere } from "@/shared/workload/api/workloads";
import { isOnTheWay } from "@/shared/workload/model/lifecycle";
import { useNotebookAction } from "../api/notebooks";
import type { StartFrom } from "../model/notebook";

interface StartAndReturnProps {
  notebook: WorkloadDetail;
  from: StartFrom;
}

/**
 * For a reader whose tab of the notebook found it stopped: starts it, and goes back to that tab's
 * place once it is ready. It asks first, because any page can link here.
 */
export function StartAndReturn({ notebook, from }: StartAndReturnProps) {
  const { t } = useTranslation("notebooks");
  const showProblem = useProblemMessage();
  const me = useMe();
  const action = useNotebookAction(notebook.id);
  const { mutate: openHere } = useOpenHere(notebook);
  const [isReturning, setReturning] = useState(false);
  const { state, is_ready, owner, group } = notebook;
  const isOwn = owner.id === me.id && canSubmitIn(me, group.id);
  const goesBack = isReturning && is_ready;
  useEffect(() => {
    if (!goesBack) return;
    openHere(from === "lab" ? undefined : from, { onError: showProblem });
    setReturning(false);
  }, [goesBack, openHere, from, showProblem]);
  if (!isOwn) return null;
  if (isReturning && (isOnTheWay(state) || is_ready)) {
    return <Alert showIcon type="info" role="status" title={t("return.waiting")} />;
  }
  if (state !== "suspended") return null;
  const start = () => {
    setReturning(true);
    action.mutate("start", {
      onError: (error) => {
        setReturning(false);
        showProblem(error);
      },
    });
  };
  return (
    <Alert
      showIcon
      type="info"
      title={t("return.title")}
      action={
        <Button type="primary" loading={action.isPending} onClick={start}>
          {t("return.start")}
        </Button>
      }
    />
  );
}
