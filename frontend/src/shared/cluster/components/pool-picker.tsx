import { useNavigate, useSearch } from "@tanstack/react-router";
import { Radio } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { usePools } from "../api/cluster";

/**
 * One pool at a time, chosen above what is shown of it. The address remembers its name; without one
 * of that name it is the first.
 */
export function PoolPicker({ children }: { children: (pool: Pool) => ReactNode }) {
  const { t } = useTranslation("cluster");
  const language = useLanguage();
  const { pool: chosen } = useSearch({ strict: false });
  const navigate = useNavigate();
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
        onChange={({ target }) =>
          void navigate({ to: ".", search: (old) => ({ ...old, pool: target.value as string }) })
        }
        options={pools.data.map((one) => ({ value: one.name, label: titleOf(one, language) }))}
      />
      {children(pool)}
    </div>
  );
}
