import { App, Button } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { WorkloadDetail } from "@/shared/api/types";
import { useProblemText } from "@/shared/ui/query-states";
import { useOpen } from "../api/use-open";

/** Leads to what running work serves on the ports that were asked for, each in a tab of its own. */
export function PortButtons({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const { message } = App.useApp();
  const describe = useProblemText();
  const open = useOpen(workload);
  return workload.spec.ports.map((port) => (
    <Button
      key={port}
      loading={open.isPending && open.variables === port}
      onClick={() =>
        open.mutate(port, { onError: (error) => void message.error(describe(problemOf(error))) })
      }
    >
      {t("openPort", { port })}
    </Button>
  ));
}
