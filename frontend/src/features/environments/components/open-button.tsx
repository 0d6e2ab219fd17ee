import { ExportOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import { useProblemText } from "@/shared/ui/query-states";
import { useOpen } from "@/shared/workload/api/workloads";

interface OpenButtonProps {
  environmentId: string;
  size?: "small" | "middle";
}

/** Leads into the running notebook, in a tab of its own. */
export function OpenButton({ environmentId, size = "middle" }: OpenButtonProps) {
  const { t } = useTranslation("environments");
  const { message } = App.useApp();
  const describe = useProblemText();
  const open = useOpen({ id: environmentId, kind: "environment" });
  return (
    <Button
      type="primary"
      size={size}
      icon={<ExportOutlined aria-hidden />}
      loading={open.isPending}
      onClick={() =>
        open.mutate(undefined, {
          onError: (error) => void message.error(describe(problemOf(error))),
        })
      }
    >
      {t("open")}
    </Button>
  );
}
