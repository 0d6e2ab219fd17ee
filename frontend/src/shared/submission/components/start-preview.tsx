import {
  BulbOutlined,
  CheckCircleFilled,
  ClockCircleOutlined,
  StopOutlined,
} from "@ant-design/icons";
import { Alert } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import type { Advised, DryRunInput, StoppedWork, Verdict, WayOut } from "@/shared/api/types";
import { useNodesForStrips } from "@/shared/cluster/api/nodes";
import { BerthLegend, BerthStrip } from "@/shared/cluster/components/berth-strip";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { ProblemAlert } from "@/shared/ui/query-states";
import type { useDryRun } from "@/shared/workload/api/workloads";
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
  dryRun: ReturnType<typeof useDryRun>;
  /** Puts advice into the form that the draft is of. */
  onTake: (advised: Advised) => void;
  /** Why this draft was not submitted, if it was tried. */
  refusal: Error | null;
}

/** The scheduler's answer to a draft, and below it why the submission of that draft was refused. */
export function StartPreview({ draft, dryRun, onTake, refusal }: StartPreviewProps) {
  return (
    <>
      {!(isOutage(refusal) && isOutage(dryRun.error)) && (
        <Preview draft={draft} dryRun={dryRun} onTake={onTake} />
      )}
      {refusal && <NotSubmitted error={refusal} dryRun={dryRun} />}
    </>
  );
}

const GATEWAY = [502, 503, 504];

/** Whether nobody answered: then nothing was decided about what was sent. */
function isOutage(error: Error | null): boolean {
  const { code, status } = problemOf(error);
  return error !== null && (code === "unreachable" || GATEWAY.includes(status));
}

interface NotSubmittedProps {
  error: Error;
  dryRun: StartPreviewProps["dryRun"];
}

/** Why it was not submitted; what the dry run says already is not said again. */
function NotSubmitted({ error, dryRun }: NotSubmittedProps) {
  const { t } = useTranslation("submission");
  const [failed, setFailed] = useState({ error, at: Date.now() });
  if (failed.error !== error) setFailed({ error, at: Date.now() });
  if (isOutage(error)) {
    const isBack = !dryRun.isError && dryRun.dataUpdatedAt > failed.at;
    return isBack ? (
      <Alert type="info" showIcon role="status" title={t("preview.back")} />
    ) : (
      <Alert type="error" showIcon role="alert" title={t("preview.outage")} />
    );
  }
  const isKnown = dryRun.data?.reasons.some(({ code }) => code === problemOf(error).code);
  return isKnown ? (
    <Alert type="error" showIcon role="alert" title={t("preview.notSubmitted")} />
  ) : (
    <ProblemAlert error={error} />
  );
}

/** Starts now, waits and why, or can never start. */
function Preview({ draft, dryRun, onTake }: Omit<StartPreviewProps, "refusal">) {
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
  verdict: { verdict, position, reasons, expected_start, stops, advice, placement },
  isOld,
  onTake,
}: {
  verdict: Verdict;
  isOld: boolean;
  onTake: StartPreviewProps["onTake"];
}) {
  const { t } = useTranslation("submission");
  const words = useVerdictWords();
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
      <strong>
        {ICONS[verdict]} {words({ verdict, position })}
      </strong>
      {placement.length > 0 && <PlacementWords places={placement} />}
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

const PLACES_SHOWN = 2;

/** Where the scheduler would start it now, beside what is there already; a large site shows no single GPUs. */
function PlacementWords({ places }: { places: Verdict["placement"] }) {
  const { t } = useTranslation(["submission", "cluster"]);
  const language = useLanguage();
  const nodes = useNodesForStrips().nodes.data ?? [];
  const list = new Intl.ListFormat(language);
  const [first, ...others] = places;
  if (!first) return null;
  const cards = list.format(
    first.cards.map(({ index }) => t("cluster:card", { index }).toLocaleLowerCase(language)),
  );
  const names = list.format(new Set(places.map(({ node }) => node)));
  const isOnOneCard = others.length === 0 && first.cards.length === 1;
  return (
    <div className={ownStyles.slices}>
      <span className={ownStyles.sliceWords}>
        {isOnOneCard
          ? t("preview.onCard", { node: first.node, cards })
          : t("preview.on", { nodes: names })}
      </span>
      {first.cards.length > 0 &&
        places.slice(0, PLACES_SHOWN).map((place, rank) => {
          const node = nodes.find(({ name }) => name === place.node);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two ranks may be on one node
            <div key={rank} className={ownStyles.sliceStrips}>
              {node?.accelerators.map((card) => (
                <BerthStrip
                  key={card.id}
                  card={card}
                  node={node.state}
                  name={t("cluster:card", { index: card.index })}
                  planned={place.cards.find(({ id }) => id === card.id)?.slots ?? []}
                />
              ))}
            </div>
          );
        })}
      {nodes.length > 0 && first.cards.length > 0 && (
        <BerthLegend uses={["planned", "mine", "taken", "free"]} />
      )}
    </div>
  );
}

type Answered = Pick<Verdict, "verdict" | "position">;

const ICONS = {
  starts_now: <CheckCircleFilled aria-hidden />,
  waits: <ClockCircleOutlined aria-hidden />,
  refused: <StopOutlined aria-hidden />,
};

/** The answer in a few words. */
export function useVerdictWords(): (answer: Answered) => string {
  const { t } = useTranslation("submission");
  return ({ verdict, position }) => {
    if (verdict === "starts_now") return t("preview.startsNow");
    if (verdict === "refused") return t("preview.refused");
    return position === null ? t("preview.waits") : t("preview.waitsAt", { position });
  };
}
