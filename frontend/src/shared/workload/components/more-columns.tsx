/** The columns of a list of work that only those see who choose them. */
import type { ReactNode } from "react";
import type { ListedUse, Workload } from "@/shared/api/types";
import { formatMoney } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import type { ListColumn } from "@/shared/lists/components/list-table";
import { Elapsed } from "@/shared/ui/time";
import { useListedUse } from "../api/listed-use";

const NODES_SHOWN = 2;

export function useMoreColumns<Row extends Workload>(): ListColumn<Row>[] {
  const { t } = useTranslation("workload");
  const language = useLanguage();
  const money = ({ costs }: ListedUse) =>
    costs
      .map(({ amount, currency }) => formatMoney(Number(amount), currency, language))
      .join(" + ");
  const ofUse = (key: "node" | "gpuUse" | "cost", say: (use: ListedUse) => ReactNode) => ({
    key,
    title: t(`column.${key}`),
    isExtra: true,
    isShort: true,
    cell: (row: Row) => (row.array ? "–" : <OfUse id={row.id} say={say} />),
  });
  return [
    {
      key: "duration",
      title: t("column.duration"),
      isExtra: true,
      isShort: true,
      cell: ({ started_at, finished_at, state, array }) =>
        started_at && !array && (finished_at || state === "running" || state === "stopping") ? (
          <Elapsed since={started_at} until={finished_at} isCoarse />
        ) : (
          "–"
        ),
    },
    ofUse("node", ({ nodes }) => [nodes.slice(0, NODES_SHOWN).join(", "), more(nodes)].join("")),
    ofUse("gpuUse", ({ use_pct }) => use_pct !== null && `${use_pct} %`),
    {
      key: "exitCode",
      title: t("column.exitCode"),
      isExtra: true,
      isShort: true,
      cell: ({ exit_code }) => <span className="num">{exit_code ?? "–"}</span>,
    },
    ofUse("cost", money),
  ];
}

function more(nodes: readonly string[]): string {
  return nodes.length > NODES_SHOWN ? ` +${nodes.length - NODES_SHOWN}` : "";
}

function OfUse({ id, say }: { id: string; say: (use: ListedUse) => ReactNode }) {
  const use = useListedUse(id);
  return <span className="num">{(use && say(use)) || "–"}</span>;
}
