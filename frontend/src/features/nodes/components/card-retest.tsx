import { App, Button } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { Accelerator } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { useProblemText } from "@/shared/ui/query-states";
import { useCardRetest } from "../api/use-card-retest";
import styles from "./nodes.module.css";

/** Lets an operator have a card that is out of service judged anew; nobody else sees it. */
export function CardRetest({ nodeId, card }: { nodeId: string; card: Accelerator }) {
  const { t } = useTranslation("nodes");
  const { message } = App.useApp();
  const describe = useProblemText();
  const retest = useCardRetest(nodeId);
  const mayAsk = isOperator(useMe());
  if (card.state === "ok" || !mayAsk) return null;
  if (card.is_retest_due) return <p className={styles.hint}>{t("retest.due")}</p>;
  const ask = () =>
    retest.mutate(card.id, {
      onError: (error) => void message.error(describe(problemOf(error))),
    });
  return (
    <Button size="small" title={t("retest.about")} loading={retest.isPending} onClick={ask}>
      {t("retest.name")}
    </Button>
  );
}
