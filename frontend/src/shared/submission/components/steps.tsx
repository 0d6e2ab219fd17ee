/** The three steps of every form: what runs, how large, and everything else. */
import { Form } from "antd";
import type { ReactNode } from "react";
import type { GroupRef, Image, Pool } from "@/shared/api/types";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { CHOICE_SETTINGS } from "../model/devices";
import type { Size } from "../model/sizes";
import type { SubmissionValues } from "../model/submission";
import {
  DatasetField,
  ForGroupField,
  ImageField,
  Lockable,
  NameField,
  PortsField,
  SilenceField,
  TimeLimitField,
} from "./fields";
import { FileFields } from "./file-fields";
import { Folds, FormFold } from "./form-fold";
import { GpuChoiceFields, useChosenWords } from "./gpu-choice-fields";
import { EnvFields, SecretFields } from "./secret-fields";
import { SizeChoice } from "./size-cards";
import styles from "./submission.module.css";

interface FormStepProps {
  number: number;
  title: string;
  extra?: ReactNode;
  children: ReactNode;
}

/** One of the numbered steps. */
export function FormStep({ number, title, extra, children }: FormStepProps) {
  const heading = (
    <>
      <span className={styles.step}>{number}</span> {title}
    </>
  );
  return (
    <Panel title={title} heading={heading} extra={extra}>
      {children}
    </Panel>
  );
}

interface ProgramStepProps {
  groups: readonly GroupRef[];
  images: readonly Image[];
  /** Fields of what runs in the image. */
  program: ReactNode;
}

/** What runs, in which image, for whom, under which name. */
export function ProgramStep({ groups, images, program }: ProgramStepProps) {
  const { t } = useTranslation("submission");
  return (
    <FormStep number={1} title={t("steps.program")} extra={<NameField />}>
      <div className={styles.program}>
        {program}
        <div className={styles.row}>
          <Lockable settings={["image"]}>
            <ImageField images={images} />
          </Lockable>
          <ForGroupField groups={groups} />
        </div>
      </div>
    </FormStep>
  );
}

interface SizeStepProps {
  pools: readonly Pool[];
  pool: Pool;
  /** Whose data sets and files it may read. */
  owner: GroupRef;
  hasRanks: boolean;
  onTake: (size: Size) => void;
}

/** How much, for how long, with which data. */
export function SizeStep({ pools, pool, owner, hasRanks, onTake }: SizeStepProps) {
  const { t } = useTranslation("submission");
  return (
    <FormStep number={2} title={t("steps.size")}>
      <SizeChoice pools={pools} pool={pool} hasRanks={hasRanks} onTake={onTake}>
        <FormFold title={t("files.title")} digest={useFileWords()}>
          <Lockable settings={["volumes", "inputs"]}>
            <FileFields group={owner} />
          </Lockable>
        </FormFold>
      </SizeChoice>
      <div className={styles.row}>
        <TimeLimitField pool={pool} />
        <Lockable settings={["datasets"]}>
          <DatasetField group={owner} />
        </Lockable>
      </div>
    </FormStep>
  );
}

interface MoreStepProps {
  pool: Pool;
  owner: GroupRef;
  portsAbout: string;
  /** Folds of the kind. */
  children: ReactNode;
}

/** What few need to change: each a line with its present value. */
export function MoreStep({ pool, owner, portsAbout, children }: MoreStepProps) {
  const { t } = useTranslation("submission");
  const words = useMoreWords();
  const chosen = useChosenWords();
  return (
    <FormStep number={3} title={t("steps.more")}>
      <Folds>
        <FormFold title={t("ports.label")} digest={words.ports}>
          <Lockable settings={["ports"]}>
            <PortsField about={portsAbout} />
          </Lockable>
        </FormFold>
        <FormFold title={t("env.label")} digest={words.env}>
          <Lockable settings={["env"]}>
            <EnvFields />
          </Lockable>
        </FormFold>
        <FormFold title={t("secrets.label")} digest={words.secrets}>
          <Lockable settings={["secrets"]}>
            <SecretFields group={owner} />
          </Lockable>
        </FormFold>
        {children}
        {pool.models.length > 0 && (
          <FormFold title={t("choice.title")} digest={chosen || t("choice.any")}>
            <Lockable settings={CHOICE_SETTINGS}>
              <GpuChoiceFields pool={pool} />
            </Lockable>
          </FormFold>
        )}
        <FormFold title={t("silence.label")} digest={words.silence}>
          <Lockable settings={["silence"]}>
            <SilenceField />
          </Lockable>
        </FormFold>
      </Folds>
    </FormStep>
  );
}

/** `My home · shared · outputs of 1 job`. */
function useFileWords(): string {
  const { t } = useTranslation("submission");
  const { home = true, volumes = [], inputs = [] } = useValues();
  const set = [
    home && t("files.home"),
    ...volumes,
    inputs.length > 0 && t("files.inputCount", { count: inputs.length }),
  ].filter(Boolean);
  return set.join(" · ") || t("none");
}

/** The present values of the folds that all kinds have. */
function useMoreWords() {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const { ports = [], env = [], secrets = [], silence = "pool" } = useValues();
  const count = (rows: readonly unknown[]) => (rows.length > 0 ? String(rows.length) : t("none"));
  return {
    ports: ports.length > 0 ? new Intl.ListFormat(language).format(ports) : t("none"),
    env: count(env),
    secrets: count(secrets),
    silence: t(`silence.${silence}`),
  };
}

function useValues(): Partial<SubmissionValues> {
  const form = Form.useFormInstance<SubmissionValues>();
  return Form.useWatch((all: SubmissionValues) => all, form) ?? {};
}
