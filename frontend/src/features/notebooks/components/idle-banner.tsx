import { Alert, Button, Flex } from "antd";
import type { WorkloadDetail } from "@/shared/api/types";
import { formatWhen } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { useProblemMessage } from "@/shared/ui/query-states";
import { minutesUntil, useNow } from "@/shared/ui/time";
import { ReasonList } from "@/shared/workload/components/waiting-panel";
import { type NotebookAction, useNotebookAction } from "../api/notebooks";
import { type Idle, type IdleNews, idleNews } from "../model/notebook";
import styles from "./notebooks.module.css";

/** What an idle notebook is about to lose or has lost, and what its owner can do. */
export function IdleBanner({ notebook }: { notebook: WorkloadDetail }) {
  const { idle } = notebook;
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
          <IdleActions notebook={notebook} idle={idle} news={news} />
        </>
      }
    />
  );
}

function IdleWords({ idle, news }: { idle: Idle; news: IdleNews }) {
  const { t } = useTranslation("notebooks");
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
  notebook,
  idle,
  news,
}: {
  notebook: WorkloadDetail;
  idle: Idle;
  news: IdleNews;
}) {
  const { t } = useTranslation("notebooks");
  const showProblem = useProblemMessage();
  const me = useMe();
  const action = useNotebookAction(notebook.id);
  if (notebook.owner.id !== me.id) return null;
  const button = (name: NotebookAction, words: string) => (
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
