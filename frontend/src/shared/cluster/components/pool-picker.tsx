import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Pool } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { Segments } from "@/shared/ui/controls";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { usePools } from "../api/cluster";

interface PoolPickerProps {
  children: (pool: Pool) => ReactNode;
}

/**
 * One pool at a time, chosen above what is shown of it. The address remembers its name; without one
 * of that name it is the first.
 */
export function PoolPicker({ children }: PoolPickerProps) {
  return (
    <QueryBoundary query={usePools()} rows={6}>
      {(pools) => <PickedPool pools={pools}>{children}</PickedPool>}
    </QueryBoundary>
  );
}

function PickedPool({ pools, children }: PoolPickerProps & { pools: readonly Pool[] }) {
  const { t } = useTranslation("cluster");
  const language = useLanguage();
  const { pool: chosen } = useSearch({ strict: false });
  const navigate = useNavigate();
  const pool = pools.find(({ name }) => name === chosen) ?? pools[0];
  if (!pool) return <EmptyState title={t("noPools.title")} text={t("noPools.text")} />;
  return (
    <div className="stack">
      <Segments
        label={t("pool")}
        value={pool.name}
        onChoose={(name) => void navigate({ to: ".", search: (old) => ({ ...old, pool: name }) })}
        options={pools.map((one) => ({ value: one.name, label: titleOf(one, language) }))}
      />
      {children(pool)}
    </div>
  );
}
