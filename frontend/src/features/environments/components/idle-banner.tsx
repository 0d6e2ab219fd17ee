import { Alert, Button, Flex } from "antd";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { useProblemMessage } from "@/shared/ui/query-states";
import { minutesUntil, useNow } from "@/shared/ui/time";
import { ReasonList } from "@/shared/workload/components/waiting-panel";
import { type EnvironmentAction, useEnvironmentAction } from "../api/environments";
import { type Idle, type IdleNews, idleNews } from "../model/environment";
import styles from "./environments.module.css";

/** What an idle notebook is about to lose or has lost, and what its owner can do. */
export function IdleBanner({ environment }: { environment: WorkloadDetail }) {
  const { idle } = environment;
  const news = idle && idleNews(idle);
  if (!news) return null;
  return (
    <Alert
      showIcon
      type={news === "warned" || news === "requested" ? "warning" : "info"}
      role="status"
      data-testid="idle"
      message={<IdleWords idle={idle} news={news} />}
      description={
        <>
          {news === "requested" && <ReasonList reasons={idle.reasons} />}
          <IdleActions environment={environment} idle={idle} news={news} />
        </>
      }
    />
  );
}

function IdleWords({ idle, news }: { idle: Idle; news: IdleNews }) {
  const { t } = useTranslation("environments");
  const language = useLanguage();
  const now = useNow();
  const when = (at: string | null) => (at ? formatWhen(new Date(at), now, language) : "");
  if (news === "warned") {
    const count = idle.next_at ? minutesUntil(idle.next_at, now) : 0;
    return <>{t(`idle.warned.${idle.next ?? "stop"}`, { count, since: when(idle.active_at) })}</>;
  }
  if (news === "requested" && idle.position !== null) {
    return (
      <>{t("idle.requestedAt", { at: when(idle.gpus_released_at), position: idle.position })}</>
    );
  }
  return <>{t(`idle.${news}`, { at: when(idle.gpus_released_at) })}</>;
}

function IdleActions({
  environment,
  idle,
  news,
}: {
  environment: WorkloadDetail;
  idle: Idle;
  news: IdleNews;
}) {
  const { t } = useTranslation("environments");
  const showProblem = useProblemMessage();
  const me = useMe();
  const action = useEnvironmentAction(environment.id);
  if (environment.owner.id !== me.id) return null;
  const button = (name: EnvironmentAction, words: string) => (
    <Button
      loading={action.isPending && action.variables === name}
      onClick={() => action.mutate(name, { onError: showProblem })}
    >
      {words}
    </Button>
  );
  return (
    <Flex gap={8} wrap className={styles.idleActions ?? ""}>
      {news === "warned" &&
        idle.keeps_left > 0 &&
        button("keep", t("idle.keep", { count: Math.round(idle.keep_s / 60) }))}
      {news === "released" && button("gpus", t("idle.takeBack"))}
      {idle.may_restart && button("restart", t("idle.restart"))}
    </Flex>
  );
}
