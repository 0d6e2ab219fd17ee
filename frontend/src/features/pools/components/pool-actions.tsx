import { App, Button, Flex } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { Pool } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { useProblemText } from "@/shared/ui/query-states";
import { useChangePool, useRemovePool } from "../api/use-pools-admin";
import { AddNode } from "./add-node";

/** What an operator may do to a pool; what stands against it, the server says with its numbers. */
export function PoolActions({ pool, onEdit }: { pool: Pool; onEdit: () => void }) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  const { message } = App.useApp();
  const describe = useProblemText();
  const change = useChangePool(pool.id);
  const remover = useRemovePool();
  const name = titleOf(pool, language);
  const turn = () =>
    change.mutate(
      { is_open: !pool.is_open },
      { onError: (error) => void message.error(describe(problemOf(error))) },
    );
  return (
    <Flex gap={8} wrap>
      <AddNode pool={pool} />
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <Button
        size="small"
        aria-label={t(pool.is_open ? "closeTitle" : "openTitle", { name })}
        title={pool.is_open ? t("closeAbout") : ""}
        loading={change.isPending}
        onClick={turn}
      >
        {t(pool.is_open ? "close" : "reopen")}
      </Button>
      <RemoveButton
        id={pool.id}
        label={t("removeTitle", { name })}
        question={t("removeQuestion")}
        remover={remover}
      />
    </Flex>
  );
}
