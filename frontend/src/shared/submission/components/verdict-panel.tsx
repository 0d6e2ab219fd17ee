/** Beside a form: whether it would start, where and at what price, and the button that submits it. */
import { Button, type FormInstance } from "antd";
import { Fragment, type ReactNode, useState } from "react";
import type { Advised, DryRunInput, Pool, Verdict } from "@/shared/api/types";
import { usePrices } from "@/shared/cluster/api/cluster";
import { dateFormat } from "@/shared/i18n/clock";
import { formatMoney } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { Panel } from "@/shared/ui/page";
import { useDryRun } from "@/shared/workload/api/workloads";
import { hourlyCost } from "../model/cost";
import { unfoldAround } from "./form-fold";
import { StartPreview, useVerdictWords } from "./start-preview";
import styles from "./submission.module.css";

interface VerdictPanelProps {
  draft: DryRunInput | null;
  pool: Pool;
  submission: { error: Error | null; isPending: boolean };
  /** Name of the button. */
  action: string;
  /** The fields that hold a fault now, and how to go to one. */
  faults: readonly FieldFaulty[];
  onFault: (fault: FieldFaulty) => void;
  onTake: (advised: Advised) => void;
  /** What else may be done with the form. */
  children: ReactNode;
}

/** It stays in sight; on a phone, its one line with the button does. */
export function VerdictPanel(props: VerdictPanelProps) {
  const { draft, pool, submission, action, faults, onFault, onTake, children } = props;
  const { t } = useTranslation("submission");
  const verdictWords = useVerdictWords();
  const [isLooking, setLooking] = useState(false);
  const asked = draft && isLooking ? { ...draft, ways_out: true } : draft;
  const dryRun = useDryRun(asked);
  const answer = asked && dryRun.data;
  return (
    <Panel title={t("summary")}>
      <div className="stack">
        <StartPreview draft={asked} dryRun={dryRun} onTake={onTake} refusal={submission.error} />
        {answer?.verdict === "waits" && !isLooking && (
          <Button size="small" onClick={() => setLooking(true)}>
            {t("waysOut.look")}
          </Button>
        )}
        <div className={styles.act}>
          <div className={styles.actWords}>
            {answer && (
              // Drawn where the answer itself is out of sight; it is said once.
              <strong
                className={styles.actVerdict}
                data-verdict={answer.verdict}
                data-words={verdictWords(answer)}
                aria-hidden
              />
            )}
            {draft && <Cost draft={draft} pool={pool} answer={answer ?? undefined} />}
          </div>
          <Button type="primary" htmlType="submit" block loading={submission.isPending}>
            {action}
          </Button>
          <FieldsToCorrect faults={faults} onFault={onFault} />
        </div>
        {children}
      </div>
    </Panel>
  );
}

interface CostProps {
  draft: DryRunInput;
  pool: Pool;
  answer: Verdict | undefined;
}

/** What an hour of it costs, by the GPUs that it would get; nothing where no price says so. */
function Cost({ draft, pool, answer }: CostProps) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const timeZone = useConfig()?.time_zone;
  const prices = usePrices().data;
  const planned = answer?.placement.flatMap(({ cards }) => cards.map(({ model }) => model)) ?? [];
  const wanted = draft.gpu_models ?? pool.models.map(({ name }) => name);
  const models = [...new Set(planned.length > 0 ? planned : wanted)];
  const day = dateFormat("sv", { timeZone, dateStyle: "short" }).format(new Date());
  const cost = prices && hourlyCost(prices, draft, pool, models, day);
  if (!cost) return null;
  const { least, most, currency } = cost;
  const money = (amount: number) => formatMoney(amount, currency, language);
  const amount = least === most ? money(most) : `${money(least)}–${money(most)}`;
  return <span className="num">{t("costPerHour", { amount })}</span>;
}

/** A field that holds a fault, with the word beside it. */
export interface FieldFaulty {
  name: (string | number)[];
  label: string;
}

/** The fields that hold a fault now. */
export function faultyFields(form: Pick<FormInstance, "getFieldsError">): FieldFaulty[] {
  const faulty = form.getFieldsError().filter(({ errors }) => errors.length > 0);
  return faulty.map(({ name }) => {
    const label = document.querySelector(`label[for="${name.join("_")}"]`);
    return { name, label: label?.textContent || nameOf(name) };
  });
}

/** Of a field without a word of its own: how readers who do not see it hear it called. */
function nameOf(name: readonly (string | number)[]): string {
  return document.getElementById(name.join("_"))?.ariaLabel || String(name[0]);
}

/** The page's head covers what is scrolled to its upper edge. */
export const VISIBLE = { focus: true, block: "center" } as const;

/** Opens what hides a field, scrolls to it and puts the cursor into it. */
export function goToField(form: FormInstance, name: readonly (string | number)[]): void {
  unfoldAround(document.getElementById(name.join("_")));
  form.scrollToField(name as never, VISIBLE);
}

interface FieldsToCorrectProps {
  faults: readonly FieldFaulty[];
  onFault: (fault: FieldFaulty) => void;
}

/** Names the fields that need a correction beside the button, and leads to each: they may be out of sight. */
function FieldsToCorrect({ faults, onFault }: FieldsToCorrectProps) {
  const { t } = useTranslation("submission");
  if (faults.length === 0) return null;
  return (
    <p role="alert" className={styles.fault}>
      {t("toCorrect", { count: faults.length })}{" "}
      {faults.map((fault, index) => (
        <Fragment key={fault.name.join("_")}>
          {index > 0 && ", "}
          <button type="button" className={styles.faultLink} onClick={() => onFault(fault)}>
            {fault.label}
          </button>
        </Fragment>
      ))}
    </p>
  );
}
