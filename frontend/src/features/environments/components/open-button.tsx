import { ExportOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useOpen } from "@/shared/workload/api/workloads";

interface OpenButtonProps {
  environmentId: string;
  size?: "small" | "middle";
}

/** Leads into the running notebook, in a tab of its own. */
export function OpenButton({ environmentId, size = "middle" }: OpenButtonProps) {
  const { t } = useTranslation("environments");
  const showProblem = useProblemMessage();
  const open = useOpen({ id: environmentId, kind: "environment" });
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
