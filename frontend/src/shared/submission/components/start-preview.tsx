import {
  BulbOutlined,
  CheckCircleFilled,
  ClockCircleOutlined,
  StopOutlined,
} from "@ant-design/icons";
import { Alert, Button } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import type { Advised, DryRunInput, StoppedWork, Verdict, WayOut } from "@/shared/api/types";
import { useNodesForStrips } from "@/shared/cluster/api/nodes";
import { BerthLegend, BerthStrip } from "@/shared/cluster/components/berth-strip";
import { planSlices } from "@/shared/cluster/model/cells";
import { useTranslation } from "@/shared/i18n/language";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useDryRun } from "@/shared/workload/api/workloads";
import { AdviceWords } from "@/shared/workload/components/advice";
import {
  useDeviceWords,
  useStartWords,
  useSureWords,
} from "@/shared/workload/components/sentences";
import { ReasonList } from "@/shared/workload/components/waiting-panel";
import { HolderList, WayOutWords } from "@/shared/workload/components/ways-out";
import styles from "@/shared/workload/components/workload.module.css";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import ownStyles from "./submission.module.css";

interface StartPreviewProps {
  draft: DryRunInput | null;
  /** Puts advice into the form that the draft is of. */
  onTake?: (advised: Advised) => void;
  /** Why this draft was not submitted, if it was tried. */
  refusal: Error | null;
}

/** The scheduler's answer to a draft, and below it why the submission of that draft was refused. */
export function StartPreview({ draft, onTake, refusal }: StartPreviewProps) {
  const { t } = useTranslation("submission");
  const [isLooking, setLooking] = useState(false);
  const asked = draft && isLooking ? { ...draft, ways_out: true } : draft;
  const dryRun = useDryRun(asked);
  // What the dry run says already is not said again.
  const isKnown = dryRun.data?.reasons.some(({ code }) => code === problemOf(refusal).code);
  return (
    <>
      <Preview draft={asked} dryRun={dryRun} onTake={onTake} />
      {dryRun.data?.verdict === "waits" && !isLooking && (
        <Button size="small" onClick={() => setLooking(true)}>
          {t("waysOut.look")}
        </Button>
      )}
      {refusal &&
        (isKnown ? (
          <Alert type="error" showIcon role="alert" title={t("preview.notSubmitted")} />
        ) : (
          <ProblemAlert error={refusal} />
        ))}
    </>
  );
}

interface PreviewProps extends Pick<StartPreviewProps, "draft"> {
  dryRun: ReturnType<typeof useDryRun>;
  onTake: StartPreviewProps["onTake"];
}

/** Starts now, waits and why, or can never start. */
function Preview({ draft, dryRun, onTake }: PreviewProps) {
  const { t } = useTranslation("submission");
  if (!draft) return <p className={styles.answerHint}>{t("preview.incomplete")}</p>;
  if (dryRun.isError) return <ProblemAlert error={dryRun.error} />;
  if (!dryRun.data) return <p className={styles.answerHint}>{t("preview.asking")}</p>;
  return (
    <>
      <Answer verdict={dryRun.data} isOld={dryRun.isPlaceholderData} onTake={onTake} />
      {dryRun.data.limits.map((limit) => (
        <HolderList key={limit.reason.code + JSON.stringify(limit.reason.params)} limit={limit} />
      ))}
      <DraftWaysOut draft={draft} ways={dryRun.data.ways_out} />
    </>
  );
}

function Answer({
  verdict: { verdict, position, reasons, expected_start, stops, advice },
  isOld,
  onTake,
}: {
  verdict: Verdict;
  isOld: boolean;
  onTake: StartPreviewProps["onTake"];
}) {
  const { t } = useTranslation("submission");
  const startWords = useStartWords();
  const sureWords = useSureWords();
  return (
    <div
      className={styles.answer}
      data-testid="start-preview"
      data-verdict={verdict}
      aria-live="polite"
      aria-busy={isOld}
    >
      {verdict === "starts_now" && (
        <strong>
          <CheckCircleFilled aria-hidden /> {t("preview.startsNow")}
        </strong>
      )}
      {verdict === "waits" && (
        <strong>
          <ClockCircleOutlined aria-hidden />{" "}
          {position === null ? t("preview.waits") : t("preview.waitsAt", { position })}
        </strong>
      )}
      {verdict === "refused" && (
        <strong>
          <StopOutlined aria-hidden /> {t("preview.refused")}
        </strong>
      )}
      <ReasonList reasons={reasons} />
      {expected_start && (
        <p className={`num ${styles.answerWords}`}>
          {t("preview.expected", { when: startWords(expected_start) })}
          <br />
          {sureWords(expected_start)}
        </p>
      )}
      {stops.length > 0 && <Stops stops={stops} />}
      {advice && (
        <div>
          <p className={styles.answerWords}>
            <BulbOutlined aria-hidden /> {t("advice.title")}
          </p>
          <AdviceWords advice={advice} onTake={onTake} />
        </div>
      )}
    </div>
  );
}

/** Changes of the form after which it would start now. */
function DraftWaysOut({ draft, ways }: { draft: DryRunInput; ways: readonly WayOut[] }) {
  const { t } = useTranslation("submission");
  if (!draft.ways_out && ways.length === 0) return null;
  const { gpus = 0, slices = 0, replicas = 1 } = draft;
  return (
    <div data-testid="ways-out">
      <p className={styles.answerWords}>{t(ways.length > 0 ? "waysOut.title" : "waysOut.none")}</p>
      <ul className={styles.reasons}>
        {ways.map((way) => (
          <li key={JSON.stringify(way.changes) + way.stops?.id} data-code={way.code}>
            <WayOutWords way={way} of={{ gpus, slices, replicas }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The work that would be evicted for it, and by which rule. */
function Stops({ stops }: { stops: readonly StoppedWork[] }) {
  const { t } = useTranslation("submission");
  const devices = useDeviceWords();
  return (
    <div>
      <p className={styles.answerWords}>{t("preview.stops")}</p>
      <ul className={styles.reasons}>
        {stops.map(({ work, cause }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: work of others has no name here
          <li key={index}>
            <GlimpseName work={work} /> ({devices(work)}) · {t(`rule.${cause}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface SlicePreviewProps {
  poolId: string;
  slices: number;
}

/** Where a draft's slices would go now, next to what is there already; a large site shows no single GPUs. */
export function SlicePreview({ poolId, slices }: SlicePreviewProps) {
  const { t } = useTranslation("cluster");
  const { nodes } = useNodesForStrips();
  if (!nodes.data) return null;
  const ready = nodes.data.filter(({ pool, state }) => pool.id === poolId && state === "ready");
  const plan = planSlices(
    ready.flatMap(({ accelerators }) => accelerators),
    slices,
  );
  const home = ready.find(({ accelerators }) => accelerators.some(({ id }) => id === plan?.cardId));
  if (!plan || !home)
    return <p className={ownStyles.sliceNone}>{t("preview.none", { count: slices })}</p>;
  return (
    <div className={ownStyles.slices}>
      <span className={ownStyles.sliceWords}>{t("preview.about", { node: home.name })}</span>
      <div className={ownStyles.sliceStrips}>
        {home.accelerators.map((card) => (
          <BerthStrip
            key={card.id}
            card={card}
            node={home.state}
            name={t("card", { index: card.index })}
            planned={card.id === plan.cardId ? plan.slots : []}
          />
        ))}
      </div>
      <BerthLegend uses={["planned", "mine", "taken", "free"]} />
    </div>
  );
}
