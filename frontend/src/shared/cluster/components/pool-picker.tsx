import { Radio } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { EmptyState } from "@/shared/ui/empty-state";
import { Loading } from "@/shared/ui/loading";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { usePools } from "../api/use-pools";

interface PoolPickerProps {
  /** Name of the chosen pool; the first one when there is none of that name. */
  chosen: string | undefined;
  onChoose: (name: string) => void;
  children: (pool: Pool) => ReactNode;
}

/** One pool at a time, chosen above what is shown of it; the address is its memory. */
export function PoolPicker({ chosen, onChoose, children }: PoolPickerProps) {
  const { t } = useTranslation("cluster");
  const language = useLanguage();
  const pools = usePools();
  if (pools.isPending) return <Loading rows={6} />;
  if (!pools.data) return <ProblemAlert error={pools.error} onRetry={() => void pools.refetch()} />;
  const pool = pools.data.find(({ name }) => name === chosen) ?? pools.data[0];
  if (!pool) return <EmptyState title={t("noPools.title")} text={t("noPools.text")} />;
  return (
    <div className="stack">
      <Radio.Group
        optionType="button"
        aria-label={t("pool")}
        value={pool.name}
        onChange={({ target }) => onChoose(target.value as string)}
        options={pools.data.map((one) => ({ value: one.name, label: titleOf(one, language) }))}
      />
      {children(pool)}
    </div>
  );
}
