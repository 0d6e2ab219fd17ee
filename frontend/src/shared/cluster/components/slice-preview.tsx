import { useTranslation } from "react-i18next";
import { useNodes } from "../api/use-nodes";
import { planSlices } from "../model/cells";
import { BerthLegend } from "./berth-legend";
import { BerthStrip } from "./berth-strip";
import styles from "./slice-preview.module.css";

interface SlicePreviewProps {
  poolId: string;
  slices: number;
}

/** Where a draft's slices would go now, next to what is there already. */
export function SlicePreview({ poolId, slices }: SlicePreviewProps) {
  const { t } = useTranslation("cluster");
  const nodes = useNodes().data?.filter(({ pool }) => pool.id === poolId) ?? [];
  const ready = nodes.filter(({ state }) => state === "ready");
  const plan = planSlices(
    ready.flatMap(({ accelerators }) => accelerators),
    slices,
  );
  const home = ready.find(({ accelerators }) => accelerators.some(({ id }) => id === plan?.cardId));
  if (!plan || !home) return <p className={styles.none}>{t("preview.none", { count: slices })}</p>;
  return (
    <div className={styles.preview}>
      <span className={styles.words}>{t("preview.about", { node: home.name })}</span>
      <div className={styles.strips}>
        {home.accelerators.map((card) => (
          <BerthStrip
            key={card.id}
            card={card}
            name={t("card", { index: card.index })}
            planned={card.id === plan.cardId ? plan.slots : []}
          />
        ))}
      </div>
      <BerthLegend uses={["planned", "mine", "taken", "free"]} />
    </div>
  );
}
