import { Alert, Button, Form, type FormInstance } from "antd";
import { type ReactNode, use, useEffect, useRef, useState } from "react";
import { fieldErrorsOf, problemOf } from "@/shared/api/problem";
import type { Advised, DryRunInput, FieldRule, Pool, WorkloadDetail } from "@/shared/api/types";
import { useImages, usePools } from "@/shared/cluster/api/cluster";
import { useTranslation } from "@/shared/i18n/language";
import { submittableGroups, useChosenGroup, useMe } from "@/shared/session/me";
import { RulesContext, useRuleDefaults } from "@/shared/submission/components/fields";
import {
  fittedOf,
  ruleDefaultsOf,
  settingBehind,
  withRules,
} from "@/shared/submission/model/templates";
import { FoldedPanel, Panel } from "@/shared/ui/page";
import { bothOf, EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useRefusal } from "@/shared/ui/refusal";
import type { SubmittedKind } from "@/shared/workload/model/kinds";
import { type Submission, type Submitted, useDraft } from "../api/submission";
import { useRulesInForce } from "../api/templates";
import {
  CHOICE_SETTINGS,
  CPU_MIN,
  DEVICE_SETTINGS,
  deviceForm,
  gibOf,
  MEMORY_GIB_MIN,
} from "../model/devices";
import {
  defaultName,
  imagesFor,
  isNonEmpty,
  poolsFor,
  type SubmissionBody,
  type SubmissionChoices,
  type SubmissionValues,
} from "../model/submission";
import { withTemplate } from "../model/templates";
import { DeviceFields } from "./device-fields";
import {
  CountField,
  DatasetField,
  ImageField,
  Lockable,
  NameField,
  PlaceFields,
  PortsField,
  SilenceField,
  TemplateContext,
  TimeLimitField,
} from "./fields";
import { FieldsToCorrect, faultyFields } from "./fields-to-correct";
import { FileFields } from "./file-fields";
import { GpuChoiceFields } from "./gpu-choice-fields";
import { EnvFields, SecretFields } from "./secret-fields";
import { StartPreview } from "./start-preview";
import styles from "./submission.module.css";
import { type SavedTerms, SaveTemplateButtons, TemplateDialog } from "./template-dialog";

/** What one kind of work adds to the form that all kinds share. */
interface SubmissionKind<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
> {
  work: SubmittedKind;
  /** First part of a proposed name. */
  stem: string;
  /** The kind's own fields, and its default amounts. */
  initial: Omit<Values, "name" | "group" | "pool" | "image" | "time_limit_s">;
  /** Values of an earlier submission, which replace the defaults. */
  again?: Partial<Values>;
  toInput: (values: Values) => Input;
  /** A part of such a body as the form holds it. */
  ofBody: (body: SubmissionBody, offered: SubmissionChoices) => Partial<Values>;
  toDraft: (values: Partial<Values>) => DryRunInput | null;
  submission: Submission<Input, Result>;
  /** Name of the button. */
  action: string;
  /** Fields of what to run, after the name. */
  program?: ReactNode;
  /** Help text of the ports field. */
  portsAbout: string;
  /** After how much of a card: how many of these, and what starts them. */
  ranks?: (pool: Pool) => ReactNode;
  /** Further panels. */
  more?: ReactNode;
  /** Under the scheduler's answer. */
  preview?: (pool: Pool, values: Partial<Values>) => ReactNode;
  /** The kind's own fields among those that few people need, and what is set there. */
  advanced?: ReactNode;
  advancedDigest?: (values: Partial<Values>) => string;
  /** Under the button. */
  foot?: (values: Partial<Values>) => ReactNode;
}

interface SubmissionFormProps<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
> extends SubmissionChoices {
  kind: SubmissionKind<Values, Input, Result>;
  onSubmitted: (submitted: Result) => void;
}

/** The form behind every submission; it begins with what was typed into it and not submitted. */
export function SubmissionForm<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted = WorkloadDetail,
>(props: SubmissionFormProps<Values, Input, Result>) {
  const { kind } = props;
  const { t } = useTranslation("submission");
  const { draft, keep, beginAnew } = useDraft<Values>(kind.work, props, kind.again);
  return (
    <>
      {draft && (
        <Alert
          type="info"
          showIcon
          role="status"
          className={styles.notice ?? ""}
          title={t("draft.restored")}
          description={draft.env?.some((row) => !row?.value) ? t("draft.withoutValues") : undefined}
          action={<Button onClick={beginAnew}>{t("draft.anew")}</Button>}
        />
      )}
      <OneSubmission
        {...props}
        key={draft ? "draft" : "anew"}
        kind={draft ? { ...kind, again: { ...kind.again, ...draft } } : kind}
        keep={keep}
      />
    </>
  );
}

interface OneSubmissionProps<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
> extends SubmissionFormProps<Values, Input, Result> {
  /** Takes all that the form holds, at each change since somebody typed into it; null once it is submitted. */
  keep: (values: Partial<Values> | null) => void;
}

/** What, how much, and beside it whether it would start. */
function OneSubmission<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
>(props: OneSubmissionProps<Values, Input, Result>) {
  const { groups, pools, images, group, kind, keep, onSubmitted } = props;
  const { submission } = kind;
  const { t } = useTranslation("submission");
  const [form] = Form.useForm<Values>();
  const refusal = useRefusal(form, submission);
  const poolNamed = (wanted: string | undefined) => pools.find(({ name }) => name === wanted);
  const values = (Form.useWatch([], form) ?? {}) as Partial<Values>;
  const pool = poolNamed(values.pool ?? kind.again?.pool) ?? pools[0];
  const owner = groups.find(({ name }) => name === values.group) ?? groups[0];
  const template = use(TemplateContext);
  const [saved, setSaved] = useState<SavedTerms | null>(null);
  const [faulty, setFaulty] = useState<readonly string[]>([]);
  const isTyped = useRef(false);
  const take = useTakeAdvice(form, pool, () => {
    isTyped.current = true;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other values are kept
  useEffect(() => {
    if (isTyped.current) keep(form.getFieldsValue(true));
  }, [form, values]);
  const rules = useRulesInForce(kind.work, values.group ?? group, pool.name);
  const ruled = (some: readonly FieldRule[]) => {
    const fitted = fittedOf(kind.toDraft(form.getFieldsValue()), some);
    return kind.ofBody({ ...fitted, ...ruleDefaultsOf(some) }, props);
  };
  useRuleDefaults(form, rules, ruled, kind.again);
  const start = {
    ...kind.initial,
    name: defaultName(kind.stem, new Date()),
    group,
    pool: pool.name,
    image: images[0]?.name,
    time_limit_s: pool.default_time_limit_s,
    ...kind.again,
  };
  return (
    <RulesContext value={rules}>
      <Form<Values>
        form={form}
        layout="vertical"
        requiredMark={false}
        scrollToFirstError={VISIBLE}
        className={`with-aside ${styles.form}`}
        initialValues={start}
        onValuesChange={(changed) => {
          isTyped.current = true;
          refusal.forget(changed);
        }}
        onFieldsChange={() => setFaulty(faultyFields(form))}
        onFinishFailed={({ errorFields }) => errorFields.forEach(unfold)}
        onFinish={(filled) => {
          refusal.forget();
          const body = withTemplate(withRules(kind.toInput(filled), rules), template);
          const onError = (error: Error) => setFaulty(goToFault(form, error));
          // Heard by a form that the reader has left meanwhile, too.
          void submission.mutateAsync(body, { onSuccess: onSubmitted, onError }).then(
            () => {
              isTyped.current = false;
              keep(null);
            },
            () => {},
          );
        }}
      >
        <div className="stack">
          <Panel title={t("what")}>
            <NameField />
            {kind.program}
            <PlaceFields groups={groups} pools={pools} />
            <Lockable settings={["image"]}>
              <ImageField images={images} />
            </Lockable>
            <Lockable settings={["datasets"]}>
              <DatasetField group={owner} />
            </Lockable>
            <Lockable settings={["volumes", "inputs"]}>
              <FileFields group={owner} />
            </Lockable>
            <Lockable settings={["ports"]}>
              <PortsField about={kind.portsAbout} />
            </Lockable>
            <Lockable settings={["env"]}>
              <EnvFields />
            </Lockable>
            <Lockable settings={["secrets"]}>
              <SecretFields group={owner} />
            </Lockable>
          </Panel>
          <Panel title={t("size")}>
            <div className={styles.row}>
              <Lockable settings={DEVICE_SETTINGS}>
                <DeviceFields pool={pool} />
              </Lockable>
              {kind.ranks?.(pool)}
              <CountField
                name="cpu"
                label={t("cpu")}
                min={CPU_MIN}
                step={0.5}
                max={pool.limits.cpu_milli_max / 1000}
              />
              <CountField
                name="memory_gib"
                label={t("memory")}
                min={MEMORY_GIB_MIN}
                max={gibOf(pool.limits.memory_mib_max)}
              />
              <TimeLimitField pool={pool} />
            </div>
            <Lockable settings={CHOICE_SETTINGS}>
              <GpuChoiceFields pool={pool} />
            </Lockable>
          </Panel>
          {kind.more}
          <AdvancedPanel digest={kind.advancedDigest?.(values)}>{kind.advanced}</AdvancedPanel>
        </div>
        <Panel title={t("summary")}>
          <div className="stack">
            <StartPreview draft={kind.toDraft(values)} onTake={take} refusal={submission.error} />
            {kind.preview?.(pool, values)}
            <Button type="primary" htmlType="submit" block loading={submission.isPending}>
              {kind.action}
            </Button>
            <FieldsToCorrect names={faulty} />
            <SaveTemplateButtons
              template={template}
              body={kind.toDraft(values) ? kind.toInput({ ...start, ...values } as Values) : null}
              onSave={setSaved}
            />
            {kind.foot?.(values)}
          </div>
        </Panel>
      </Form>
      {saved && <TemplateDialog kind={kind.work} {...saved} onClose={() => setSaved(null)} />}
    </RulesContext>
  );
}

/** What few need to change, with its present value as a line. */
function AdvancedPanel({ digest, children }: { digest: string | undefined; children: ReactNode }) {
  const { t } = useTranslation("submission");
  return (
    <FoldedPanel title={t("advanced")} digest={digest ?? ""}>
      {children}
      <Lockable settings={["silence"]}>
        <SilenceField />
      </Lockable>
    </FoldedPanel>
  );
}

/** The page's head covers what is scrolled to its upper edge. */
const VISIBLE = { focus: true, block: "center" } as const;

/** Opens the section that hides a field with a fault. */
function unfold({ name }: { name: readonly (string | number)[] }): void {
  const fold = document.getElementById(name.join("_"))?.closest("details");
  if (fold) fold.open = true;
}

/** Marks the fields that the server refused, and goes to the first; returns the words beside them. */
function goToFault(form: FormInstance, error: Error): string[] {
  const fields = Object.keys(form.getFieldsValue() as object);
  const faults = fieldErrorsOf(problemOf(error)).flatMap(({ name: [setting], errors }) => {
    const name = fields.find((field) => settingBehind(field) === setting);
    return name ? [{ name, errors }] : [];
  });
  const [first] = faults;
  if (!first) return [];
  form.setFields(faults);
  unfold({ name: [first.name] });
  form.scrollToField(first.name, VISIBLE);
  return faultyFields(form);
}

interface SubmissionGateProps {
  kind: SubmittedKind;
  children: (choices: SubmissionChoices) => ReactNode;
}

/** Shows a form once there is something to choose, else names what is missing. */
export function SubmissionGate({ kind, children }: SubmissionGateProps) {
  const { t } = useTranslation("submission");
  const groups = submittableGroups(useMe());
  const chosen = useChosenGroup();
  const offer = bothOf(usePools(), useImages());
  if (!isNonEmpty(groups))
    return <EmptyState title={t("noGroup.title")} text={t("noGroup.text")} />;
  const { name } = groups.find(({ id }) => id === chosen) ?? groups[0];
  return (
    <QueryBoundary query={offer} rows={8} canRetry={false}>
      {([pools, images]) => {
        const open = poolsFor(kind, pools);
        return isNonEmpty(open) ? (
          children({ groups, pools: open, images: imagesFor(kind, images), group: name })
        ) : (
          <EmptyState title={t("noPool.title")} text={t("noPool.text")} />
        );
      }}
    </QueryBoundary>
  );
}

/**
 * Puts advice into the form: first its pool, whose fields begin with their usual amounts, and the
 * amounts as soon as these fields are there.
 */
function useTakeAdvice<Values extends SubmissionValues>(
  form: FormInstance<Values>,
  pool: Pool,
  onTake: () => void,
) {
  const [taken, setTaken] = useState<Advised | null>(null);
  useEffect(() => {
    if (taken?.pool.name !== pool.name) return;
    const models = taken.gpus > 0 && { gpu_models: taken.gpu_models };
    form.setFieldsValue({ ...deviceForm(taken), ...models } as Parameters<
      typeof form.setFieldsValue
    >[0]);
    setTaken(null);
  }, [form, pool.name, taken]);
  return (advised: Advised) => {
    onTake();
    form.setFieldsValue({ pool: advised.pool.name } as Parameters<typeof form.setFieldsValue>[0]);
    setTaken(advised);
  };
}
