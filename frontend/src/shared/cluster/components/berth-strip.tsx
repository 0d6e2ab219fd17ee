import { useTranslation } from "@/shared/i18n/language";
import { Hinted } from "@/shared/ui/opening";
import { type Card, type Cell, type CellUse, cellsOf, countUses } from "../model/cells";
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
}

/** A card drawn as a bar of its slices: the same look in every size and place. */
export function BerthStrip({ card, node, name, size = "small", planned = [] }: BerthStripProps) {
  const { t } = useTranslation("cluster");
  const cells = cellsOf(card, node, planned);
  const { free, mine, taken, planned: going, closed, broken } = countUses(cells);
  const words = [
    free > 0 && t("strip.free", { count: free }),
    mine > 0 && t("strip.mine", { count: mine }),
    taken > 0 && t("strip.taken", { count: taken }),
    going > 0 && t("strip.planned", { count: going }),
    closed > 0 && t("strip.closed", { count: closed }),
    broken > 0 && t("strip.broken"),
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
        <StripCell key={cell.slot} cell={cell} />
      ))}
    </div>
  );
}

function StripCell({ cell: { use, name, owner, isLent } }: { cell: Cell }) {
  const block = <span className={styles.cell} data-use={use} data-lent={isLent || undefined} />;
  if (!name && !owner) return block;
  return <Hinted title={[name, owner].filter(Boolean).join(" · ")}>{block}</Hinted>;
}

type BerthLook = CellUse | "lent";

const LOOKS: readonly BerthLook[] = ["mine", "taken", "lent", "free", "closed", "broken"];

/** What the looks of the strips mean. */
export function BerthLegend({ uses = LOOKS }: { uses?: readonly BerthLook[] }) {
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
