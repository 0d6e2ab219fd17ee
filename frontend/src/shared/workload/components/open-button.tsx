import { ExportOutlined } from "@ant-design/icons";
import { Button } from "antd";
import type { Workload } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useOpen } from "../api/workloads";

interface OpenButtonProps {
  workload: Pick<Workload, "id" | "kind">;
  size?: "small" | "middle";
}

/** Leads into the running notebook or app, in a tab of its own. */
export function OpenButton({ workload, size = "middle" }: OpenButtonProps) {
  const { t } = useTranslation("workload");
  const showProblem = useProblemMessage();
  const open = useOpen(workload);
  return (
    <Button
      type="primary"
      size={size}
      icon={<ExportOutlined aria-hidden />}
      loading={open.isPending}
      onClick={() => open.mutate(undefined, { onError: showProblem })}
    >
      {t("open")}
    </Button>
  );
}
