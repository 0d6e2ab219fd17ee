import type { Node } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { Hinted } from "@/shared/ui/opening";
import { type MapCard, stripCardOf } from "../model/board";
import {
  type Card,
  CELL_USES,
  type Cell,
  type CellUse,
  cellsOf,
  colourOnScale,
  countUses,
  unheldUse,
} from "../model/cells";
import styles from "./cluster.module.css";

interface BerthStripProps {
  card: Card;
  /** State of its node: what is free on a node that takes no work is not offered. */
  node: string;
  /** Names the card for readers who do not see the strip, e.g. `Card 3`. */
  name: string;
  size?: "small" | "large";
  /** Slots that a draft would take. */
  planned?: readonly number[];
  /** How much of the card is used, from 0 to 1: what is held is coloured by it. */
  heat?: number | null;
}

/** A card drawn as a bar of its slices: the same look in every size and place. */
export function BerthStrip({
  card,
  node,
  name,
  size = "small",
  planned = [],
  heat = null,
}: BerthStripProps) {
  const { t } = useTranslation("cluster");
  const cells = cellsOf(card, node, planned);
  const counts = countUses(cells);
  const words = [
    ...CELL_USES.map((use) => counts[use] > 0 && t(`strip.${use}`, { count: counts[use] })),
    cells.some(({ isLent }) => isLent) && t("strip.lent"),
  ].filter(Boolean);
  return (
    <div
      className={styles.strip}
      data-size={size}
      role="img"
      aria-label={`${name}: ${words.join(", ")}`}
    >
      {cells.map((cell) => (
        <StripCell key={cell.slot} cell={cell} heat={heat} />
      ))}
    </div>
  );
}

function StripCell({ cell, heat }: { cell: Cell; heat: number | null }) {
  const { use, name, owner, isLent } = cell;
  const isHeld = use === "mine" || use === "taken";
  const block = (
    <span
      className={styles.cell}
      data-use={use}
      data-lent={isLent || undefined}
      style={isHeld && heat !== null ? { backgroundColor: colourOnScale(heat) } : undefined}
    />
  );
  if (!name && !owner) return block;
  return <Hinted title={[name, owner].filter(Boolean).join(" · ")}>{block}</Hinted>;
}

type BerthLook = CellUse | "lent";

const ALWAYS: readonly BerthLook[] = ["mine", "taken", "lent", "free"];

/** The legend of the cards of nodes: the looks of every day, and those of what is out of service here. */
export function NodesLegend({ nodes }: { nodes: readonly Node[] }) {
  const uses = nodes.flatMap(({ state, accelerators }) =>
    accelerators.map((card) => unheldUse(card.state, state)),
  );
  return <BerthLegend uses={looksWith(uses)} />;
}

/** The looks that a legend explains: those of every day, and these of what is out of service. */
export function looksWith(uses: readonly CellUse[]): BerthLook[] {
  const found = new Set(uses);
  return [...ALWAYS, ...CELL_USES.filter((use) => found.has(use) && !ALWAYS.includes(use))];
}

/** What the looks of the strips mean. */
export function BerthLegend({ uses }: { uses: readonly BerthLook[] }) {
  const { t } = useTranslation("cluster");
  return (
    <ul className={styles.legend} aria-label={t("legend.title")}>
      {uses.map((use) => (
        <li key={use}>
          <span
            className={`${styles.cell} ${styles.sample}`}
            data-use={use === "lent" ? "taken" : use}
            data-lent={use === "lent" || undefined}
            aria-hidden
          />
          {t(`legend.${use}`)}
        </li>
      ))}
    </ul>
  );
}

interface PoolStripsProps {
  cards: readonly MapCard[];
  /** How much of a card is used, from 0 to 1: what is held is coloured by it; null is not measured. */
  heatOf?: (card: MapCard) => number | null;
}

/** The cards of a pool, each as its strip. */
export function PoolStrips({ cards, heatOf }: PoolStripsProps) {
  const { t } = useTranslation("cluster");
  return (
    <div className={styles.strips}>
      {cards.map((card) => (
        <BerthStrip
          key={card.id}
          card={stripCardOf(card)}
          node={card.node.state}
          name={`${card.node.name}, ${t("card", { index: card.index })}`}
          heat={heatOf?.(card) ?? null}
        />
      ))}
    </div>
  );
}
