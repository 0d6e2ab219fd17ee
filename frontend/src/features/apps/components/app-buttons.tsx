import { Button } from "antd";
import type { AppSessionInput, JobArray } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { useProblemMessage } from "@/shared/ui/query-states";
import { AppIcon } from "@/shared/workload/components/app-mark";
import { useApps, useCloseApp, useStartApp } from "../api/apps";

interface StartAppButtonsProps {
  /** What the app shall show. */
  of: Omit<AppSessionInput, "app">;
  /** Name of the one app that makes sense there; without it, all do. */
  only?: string;
}

/** One button for each web app: it opens on this folder in a tab of its own. */
export function StartAppButtons({ of, only }: StartAppButtonsProps) {
  const { t } = useTranslation("apps");
  const language = useLanguage();
  const showProblem = useProblemMessage();
  const apps = useApps().data ?? [];
  const start = useStartApp();
  return apps
    .filter(({ is_active, name }) => is_active && (only === undefined || name === only))
    .map((app) => {
      const title = titleOf(app, language);
      return (
        <Button
          key={app.id}
          icon={<AppIcon icon={app.icon} />}
          title={t("openOn", { app: title })}
          loading={start.isPending && start.variables.app === app.name}
          onClick={() => start.mutate({ ...of, app: app.name }, { onError: showProblem })}
        >
          {title}
        </Button>
      );
    });
}

/** Optuna on the folder in which the tasks of an array search together; it is in its owner's home. */
export function SweepAppButton({ array: { id, owner, group } }: { array: JobArray }) {
  if (useMe().id !== owner.id) return null;
  const of = { home: true, group: group.id, path: `sweeps/${id}` };
  return <StartAppButtons of={of} only="optuna-dashboard" />;
}

interface CloseButtonProps {
  sessionId: string;
  /** Name of the session, where a page has several of these buttons. */
  name?: string;
}

/** Ends a session. Nothing is lost by it, so nothing is asked. */
export function CloseButton({ sessionId, name }: CloseButtonProps) {
  const { t } = useTranslation("apps");
  const showProblem = useProblemMessage();
  const close = useCloseApp(sessionId);
  return (
    <Button
      size={name === undefined ? "middle" : "small"}
      aria-label={name === undefined ? undefined : t("closeNamed", { name })}
      loading={close.isPending}
      onClick={() => close.mutate(undefined, { onError: showProblem })}
    >
      {t("close")}
    </Button>
  );
}
