/** A card of the map in words, in a table, and with all that is known of it. */
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { CardMap } from "@/shared/api/types";
import { useCardValues } from "@/shared/cluster/api/nodes";
import { BerthStrip } from "@/shared/cluster/components/berth-strip";
import { NodeStateTag } from "@/shared/cluster/components/node-state-tag";
import {
  inPlaces,
  type MapCard,
  type MapHolder,
  type MapPart,
  stripCardOf,
} from "@/shared/cluster/model/board";
import { unheldUse } from "@/shared/cluster/model/cells";
import { formatAge, formatGpus, formatMemory, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { Facts } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { type CardMeasures, measuresOf } from "../model/cards";
import styles from "./card-map.module.css";

const ROWS_MAX = 200;
/** Holders of a card that a tooltip names. */
const HOLDERS_MAX = 4;

/** What stands in tooltips and is read out: `lines` without what changes every second. */
export function useCardWords() {
  const { t } = useTranslation(["nodes", "workload", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const status = ({ state, status: known, idleSince, node }: MapCard): string => {
    const isNamed = state !== "ok" && state !== "bad" && known !== "lost";
    if (isNamed) return coded(`nodes:cardState.${state}`) ?? state;
    if (state !== "ok" || (known !== "held" && known !== "free")) {
      return t(`cluster:legend.${unheldUse(state, node.state)}`);
    }
    return t(`map.state.${idleSince === null ? known : "idle"}`);
  };
  const fault = ({ fault: code }: MapCard): string => {
    if (!code) return "";
    const number = /^xid_(\d+)$/.exec(code)?.[1];
    if (number) return t("cardXid", { number });
    return coded(`nodes:cardFault.${code}`) ?? t("faultOther", { code });
  };
  const holder = ({ name, owner, group, mine }: MapHolder): string =>
    name === null
      ? t(mine ? "map.mine" : "workload:ofOthers")
      : `${name} — ${[owner && (owner.display_name || owner.username), group && titleOf(group, language)].filter(Boolean).join(" · ")}`;
  const measures = ({ use, memory, temperature, power }: CardMeasures, card: MapCard): string =>
    [
      use !== null && t("map.use", { value: formatNumber(use, language) }),
      memory !== null &&
        t("ofTotal", {
          used: formatMemory(memory, language),
          total: formatMemory(card.memory_mib, language),
        }),
      temperature !== null && `${formatNumber(temperature, language)} °C`,
      power !== null && `${formatNumber(power, language)} W`,
    ]
      .filter(Boolean)
      .join(" · ") || t("map.unmeasured");
  const holders = ({ parts }: MapCard): string[] => [
    ...new Set(parts.map((part) => holder(part.holder))),
  ];
  const lines = (card: MapCard): string[] => [
    card.name,
    `${titleOf(card.pool, language)} · ${card.model}`,
    [
      status(card),
      card.idleSince !== null && formatAge(new Date(card.idleSince), new Date(), language),
    ]
      .filter(Boolean)
      .join(", "),
    ...holders(card).slice(0, HOLDERS_MAX),
  ];
  return { status, fault, holder, measures, lines };
}

interface CardTableProps {
  map: CardMap;
  cards: readonly MapCard[];
  onOpen: (card: MapCard) => void;
}

/** The same cards as rows, in the order of their places: for small screens and for those who do not see the map. */
export function CardTable({ map, cards, onOpen }: CardTableProps) {
  const { t } = useTranslation("nodes");
  const columns = useCardColumns(map, onOpen);
  const order = useOwnSort();
  const placed = useMemo(() => inPlaces(cards), [cards]);
  return (
    <>
      <ListTable
        id="cards"
        label={t("map.table")}
        columns={columns}
        rows={placed.slice(0, ROWS_MAX)}
        loadAll={() => Promise.resolve(placed)}
        rowKey={({ id }) => id}
        order={order}
      />
      {cards.length > ROWS_MAX && (
        <p className="second">{t("map.more", { count: cards.length - ROWS_MAX })}</p>
      )}
    </>
  );
}

function useCardColumns(map: CardMap, onOpen: CardTableProps["onOpen"]): ListColumn<MapCard>[] {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const words = useCardWords();
  const values = useCardValues().data;
  const holdersOf = ({ parts }: MapCard) =>
    [...new Set(parts.map(({ holder }) => words.holder(holder)))].join(", ");
  const measure = (
    key: keyof CardMeasures,
    say: (value: number, card: MapCard) => string,
  ): ListColumn<MapCard> => {
    const read = ({ at }: MapCard) => measuresOf(values, map.order, at)[key];
    return {
      key,
      isShort: true,
      title: t(`map.column.${key}`),
      value: read,
      cell: (card) => {
        const value = read(card);
        return <span className="num">{value === null ? "–" : say(value, card)}</span>;
      },
    };
  };
  const number = (value: number) => formatNumber(value, language);
  return [
    {
      key: "card",
      isShort: true,
      title: t("map.column.card"),
      value: ({ name }) => name,
      cell: (card) => (
        <button type="button" className={styles.open} onClick={() => onOpen(card)}>
          {card.name}
        </button>
      ),
    },
    {
      key: "pool",
      title: t("map.column.pool"),
      value: ({ pool }) => titleOf(pool, language),
      cell: ({ pool, model }) => (
        <>
          {titleOf(pool, language)}
          <span className="second">{model}</span>
        </>
      ),
    },
    {
      key: "state",
      isShort: true,
      title: t("map.column.state"),
      value: words.status,
      cell: words.status,
    },
    {
      key: "holder",
      title: t("map.column.holder"),
      value: holdersOf,
      cell: (card) => holdersOf(card) || "–",
    },
    measure("use", (value) => t("percent", { value: number(value) })),
    measure("memory", (value, { memory_mib }) =>
      t("ofTotal", {
        used: formatMemory(value, language),
        total: formatMemory(memory_mib, language),
      }),
    ),
    measure("temperature", (value) => `${number(value)} °C`),
    measure("power", (value) => `${number(value)} W`),
  ];
}

/** One card: its strip, what it measures, its work, and the way to its node. */
export function CardDetails({ map, card }: { map: CardMap; card: MapCard }) {
  const { t } = useTranslation(["nodes", "workload"]);
  const language = useLanguage();
  const words = useCardWords();
  const measured = measuresOf(useCardValues().data, map.order, card.at);
  return (
    <div className="stack" data-testid="card-details">
      <BerthStrip card={stripCardOf(card)} node={card.node.state} name={card.name} size="large" />
      <Facts
        facts={[
          [t("map.column.state"), words.status(card)],
          ...(card.fault ? [[t("map.fault"), words.fault(card)] as const] : []),
          [
            t("map.node"),
            <span key="node">
              <Link to="/nodes/$id" params={{ id: card.node.id }}>
                {card.node.name}
              </Link>{" "}
              <NodeStateTag state={card.node.state} />
            </span>,
          ],
          [t("map.column.pool"), titleOf(card.pool, language)],
          [t("map.model"), `${card.model} · ${formatMemory(card.memory_mib, language)}`],
          [t("map.column.measured"), words.measures(measured, card)],
        ]}
      />
      <section aria-label={t("map.column.holder")}>
        <h3>{t("map.column.holder")}</h3>
        {card.parts.length === 0 && <p className="quiet">{t("map.nobody")}</p>}
        <ul className={styles.holders}>
          {byHolder(card.parts).map((share) => (
            <HolderLine key={share.slot} share={share} />
          ))}
        </ul>
      </section>
    </div>
  );
}

/** What one holder has of a card. */
interface HolderShare {
  /** The first that it has. */
  slot: number;
  holder: MapHolder;
  gpu_milli: number;
  isLent: boolean;
}

function HolderLine({ share: { holder, gpu_milli, isLent } }: { share: HolderShare }) {
  const { t } = useTranslation(["nodes", "workload"]);
  const language = useLanguage();
  const { workload, name, kind, mine, owner, group, idle_since } = holder;
  const facts = [
    owner && (owner.display_name || owner.username),
    group && titleOf(group, language),
    gpu_milli < 1000 ? t("map.part", { amount: formatGpus(gpu_milli, language) }) : t("map.whole"),
    isLent && t("map.lent"),
  ];
  return (
    <li>
      {workload && name ? (
        <WorkloadLink workload={{ id: workload, kind, name }} />
      ) : (
        t(mine ? "map.mine" : "workload:ofOthers")
      )}
      <span className="second">{facts.filter(Boolean).join(" · ")}</span>
      {idle_since && (
        <span className="second">
          {t("map.idleSince")} <Age at={idle_since} />
        </span>
      )}
    </li>
  );
}

/** The holders of a card, each once. */
function byHolder(parts: readonly MapPart[]): HolderShare[] {
  const found = new Map<MapHolder, HolderShare>();
  for (const { slot, holder, gpu_milli, isLent } of parts) {
    const known = found.get(holder);
    if (known) known.gpu_milli += gpu_milli;
    else found.set(holder, { slot, holder, gpu_milli, isLent });
  }
  return [...found.values()];
}
