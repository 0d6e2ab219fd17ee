import { App, Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { WorkloadDetail } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";
import { mayStop, maySubmitIn } from "@/shared/session/roles";
import { LinkButton } from "@/shared/ui/page";
import { useProblemText } from "@/shared/ui/query-states";
import { PortButtons } from "@/shared/workload/components/workload-page";
import { isStoppable } from "@/shared/workload/model/lifecycle";
import { type EnvironmentAction, useEnvironmentAction } from "../api/use-environment-action";
import { OpenButton } from "./open-button";

/** What may be done with the notebook in its present state; the likeliest comes first. */
export function EnvironmentActions({ environment }: { environment: WorkloadDetail }) {
  const { t } = useTranslation("environments");
  const { message } = App.useApp();
  const describe = useProblemText();
  const me = useMe();
  const action = useEnvironmentAction(environment.id);
  const { state, owner, is_ready } = environment;
  const isMineToStop = mayStop(me, environment);
  const run = (name: EnvironmentAction) =>
    action.mutate(name, { onError: (error) => void message.error(describe(problemOf(error))) });
  const isPending = (name: EnvironmentAction) => action.isPending && action.variables === name;
  return (
    <>
      {state === "running" && owner.id === me.id && (
        <LinkButton isPrimary={false} to="/notebooks/$id/terminal" params={{ id: environment.id }}>
          {t("terminal")}
        </LinkButton>
      )}
      {is_ready && owner.id === me.id && <PortButtons workload={environment} />}
      {is_ready && owner.id === me.id && <OpenButton environmentId={environment.id} />}
      {state === "suspended" && maySubmitIn(me, environment.group.id) && (
        <Button type="primary" loading={isPending("start")} onClick={() => run("start")}>
          {t("start")}
        </Button>
      )}
      {isStoppable(state) && isMineToStop && (
        <Popconfirm
          title={t("stopQuestion")}
          description={t("stopAbout")}
          okText={t("stopConfirm")}
          cancelText={t("keep")}
          onConfirm={() => run("stop")}
        >
          <Button loading={isPending("stop")}>{t("stop")}</Button>
        </Popconfirm>
      )}
      {(state === "suspended" || state === "queued") && isMineToStop && (
        <Popconfirm
          title={t("deleteQuestion")}
          description={t("deleteAbout")}
          okText={t("deleteConfirm")}
          okButtonProps={{ danger: true }}
          cancelText={t("keep")}
          onConfirm={() => run("delete")}
        >
          <Button danger loading={isPending("delete")}>
            {t("delete")}
          </Button>
        </Popconfirm>
      )}
    </>
  );
}
