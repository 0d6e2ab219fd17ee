import { Button } from "antd";
import { useState } from "react";
import type { Service } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { canChange } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { MoreActions } from "@/shared/ui/more-actions";
import { later } from "@/shared/ui/opening";
import { useProblemMessage } from "@/shared/ui/query-states";
import { type ServiceAction, useDeleteService, useServiceAction } from "../api/services";
import { isStartable } from "../model/service";

const LaterScaleDialog = later(async () => (await import("./scale-dialog")).ScaleDialog);

interface ServiceActionsProps {
  service: Service;
  size?: "small" | "middle";
  /** Where its page has nothing to show any more. */
  onDeleted?: () => void;
}

/** What those may do with it who may change it; behind one button. */
export function ServiceActions({ service, size = "small", onDeleted }: ServiceActionsProps) {
  const { t } = useTranslation("services");
  const [isScaling, setScaling] = useState(false);
  const { name } = service;
  if (!canChange(useMe(), service)) return null;
  return (
    <>
      <MoreActions size={size} label={t("action.more", { name })}>
        {isStartable(service) && <StartServiceButton service={service} />}
        {service.state === "running" && (
          <>
            <Button
              size="small"
              aria-label={t("action.scaleNamed", { name })}
              onClick={() => setScaling(true)}
            >
              {t("action.scale")}
            </Button>
            <StopServiceButton service={service} />
          </>
        )}
        <DeleteServiceButton service={service} onDeleted={onDeleted} />
      </MoreActions>
      {isScaling && <LaterScaleDialog service={service} onClose={() => setScaling(false)} />}
    </>
  );
}

/** A mutation for a button that shows a refusal in passing. */
function useAct(id: string, action: ServiceAction) {
  const showProblem = useProblemMessage();
  const act = useServiceAction(id, action);
  return { isPending: act.isPending, go: () => act.mutate(undefined, { onError: showProblem }) };
}

function StartServiceButton({ service: { id, name } }: { service: Service }) {
  const { t } = useTranslation("services");
  const { isPending, go } = useAct(id, "start");
  return (
    <Button
      size="small"
      aria-label={t("action.startNamed", { name })}
      loading={isPending}
      onClick={go}
    >
      {t("action.start")}
    </Button>
  );
}

function StopServiceButton({ service: { id, name, replicas } }: { service: Service }) {
  const { t } = useTranslation("services");
  return (
    <ConfirmButton
      action={t("action.stop")}
      label={t("action.stopNamed", { name })}
      question={t("action.stopQuestion", { count: replicas.ready })}
      isDangerous
      mutation={useServiceAction(id, "stop")}
      input={undefined}
    />
  );
}

interface DeleteServiceProps {
  service: Service;
  onDeleted: (() => void) | undefined;
}

function DeleteServiceButton({ service: { id, name, replicas }, onDeleted }: DeleteServiceProps) {
  const { t } = useTranslation("services");
  const remove = useDeleteService();
  const mutate = (input: string, { onError }: { onError: (error: Error) => void }) =>
    remove.mutate(input, { onError, onSuccess: () => onDeleted?.() });
  return (
    <ConfirmButton
      action={t("action.delete")}
      label={t("action.deleteNamed", { name })}
      question={t("action.deleteQuestion", { name, count: replicas.ready })}
      isDangerous
      mutation={{ mutate, isPending: remove.isPending }}
      input={id}
    />
  );
}
