import { App, Button } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import { useProblemText } from "@/shared/api/use-problem-text";
import { useOpenEnvironment } from "../api/use-open-environment";

interface PortButtonsProps {
  environmentId: string;
  ports: readonly number[];
}

/** Leads to what the notebook serves beside JupyterLab, each in a tab of its own. */
export function PortButtons({ environmentId, ports }: PortButtonsProps) {
  const { t } = useTranslation("environments");
  const { message } = App.useApp();
  const describe = useProblemText();
  const open = useOpenEnvironment(environmentId);
  return ports.map((port) => (
    <Button
      key={port}
      loading={open.isPending && open.variables === port}
      onClick={() =>
        open.mutate(port, { onError: (error) => void message.error(describe(problemOf(error))) })
      }
    >
      {t("ports.open", { port })}
    </Button>
  ));
}
