import { Alert, Button, Flex, Form } from "antd";
import { type ReactNode, use, useState } from "react";
import type { WorkKind } from "@/shared/api/kinds.gen";
import type { DryRunInput, Pool, Template, WorkloadDetail } from "@/shared/api/types";
import { useImages, usePools } from "@/shared/cluster/api/cluster";
import { useTranslation } from "@/shared/i18n/language";
import { submittableGroups, useChosenGroup, useMe } from "@/shared/session/me";
import { later } from "@/shared/ui/opening";
import { bothOf, EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import type { SubmittedKind } from "@/shared/workload/model/kinds";
import { type Submission, type Submitted, useDraft } from "../api/submission";
import {
  imagesFor,
  isNonEmpty,
  poolsFor,
  type SubmissionBody,
  type SubmissionChoices,
  type SubmissionValues,
} from "../model/submission";
import { settingsOf } from "../model/templates";
import { RulesContext, TemplateContext } from "./fields";
import { MoreStep, ProgramStep, SizeStep } from "./steps";
import styles from "./submission.module.css";
import type { SavedTerms } from "./template-dialog";
import { useSubmissionForm } from "./use-submission-form";
import { goToField, VerdictPanel, VISIBLE } from "./verdict-panel";

const LaterSaveTemplate = later(async () => (await import("./template-dialog")).TemplateDialog);

/** What one kind of work adds to the form that all kinds share. */
export interface SubmissionKind<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
> {
  work: SubmittedKind;
  /** First part of a proposed name, by what runs. */
  stemOf: (values: Partial<Values>) => string;
  /** What the kind's own fields begin with. */
  initial: Omit<Values, keyof SubmissionValues> & Partial<SubmissionValues>;
  /** Values of an earlier submission, which replace the defaults. */
  again?: Partial<Values>;
  toInput: (values: Values) => Input;
  /** A part of such a body as the form holds it. */
  ofBody: (body: SubmissionBody, offered: SubmissionChoices) => Partial<Values>;
  toDraft: (values: Partial<Values>) => DryRunInput | null;
  submission: Submission<Input, Result>;
  /** Name of the button. */
  action: string;
  /** Fields of what to run. */
  program?: ReactNode;
  /** Help text of the ports field. */
  portsAbout: string;
  /** Further folds. */
  more: (pool: Pool) => ReactNode;
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

export interface OneSubmissionProps<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
> extends SubmissionFormProps<Values, Input, Result> {
  /** Takes all that the form holds, at each change since somebody typed into it; null once it is submitted. */
  keep: (values: Partial<Values> | null) => void;
}

/** What runs, how large, what else; and beside it whether it would start. */
function OneSubmission<
  Values extends SubmissionValues,
  Input extends object,
  Result extends Submitted,
>(props: OneSubmissionProps<Values, Input, Result>) {
  const { kind } = props;
  const template = use(TemplateContext);
  const [saved, setSaved] = useState<SavedTerms | null>(null);
  const state = useSubmissionForm(props);
  const { form, pool, start, values } = state;
  const draft = kind.toDraft(values);
  const owner = props.groups.find(({ name }) => name === values.group) ?? props.groups[0];
  return (
    <RulesContext value={state.rules}>
      <Form<Values>
        form={form}
        layout="vertical"
        requiredMark={false}
        scrollToFirstError={VISIBLE}
        className={`with-aside ${styles.form}`}
        initialValues={start}
        onValuesChange={state.onChange}
        onFieldsChange={state.onFields}
        onFinishFailed={({ errorFields: [first] }) => first && goToField(form, first.name)}
        onFinish={state.send}
      >
        <div className="stack">
          <ProgramStep {...props} program={kind.program} />
          <SizeStep
            {...props}
            pool={pool}
            owner={owner}
            hasRanks={state.hasRanks}
            onTake={state.takeSize}
          />
          <MoreStep pool={pool} owner={owner} portsAbout={kind.portsAbout}>
            {kind.more(pool)}
          </MoreStep>
        </div>
        <VerdictPanel
          draft={draft}
          pool={pool}
          submission={kind.submission}
          action={kind.action}
          faults={state.faults}
          onFault={({ name }) => goToField(form, name)}
          onTake={state.takeAdvice}
        >
          <SaveTemplateButtons
            template={template}
            body={draft && kind.toInput({ ...start, ...values } as Values)}
            onSave={setSaved}
          />
          {kind.foot?.(values)}
        </VerdictPanel>
      </Form>
      {saved && <LaterSaveTemplate kind={kind.work} {...saved} onClose={() => setSaved(null)} />}
    </RulesContext>
  );
}

interface SubmissionGateProps {
  kind: WorkKind;
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

interface SaveTemplateButtonsProps {
  /** The template that the form was opened with. */
  template: Template | null;
  /** What the form would submit; null while it is not complete. */
  body: object | null;
  /** Opens the dialog, which stands outside of the form. */
  onSave: (saved: SavedTerms) => void;
}

/** Stores what a form holds as a new template, or in the one that it was opened with. */
function SaveTemplateButtons({ template, body, onSave }: SaveTemplateButtonsProps) {
  const { t } = useTranslation("submission");
  const start = (changed?: Template) => {
    const { locked, ranges } = template ?? { locked: [], ranges: {} };
    const bound = locked.map((name) => [name, template?.settings[name]]);
    const settings = { ...settingsOf(body ?? {}), ...Object.fromEntries(bound) };
    onSave({ terms: { settings, locked, ranges }, template: changed });
  };
  return (
    <Flex vertical gap={8}>
      {template?.may_change && (
        <Button block disabled={!body} onClick={() => start(template)}>
          {t("template.changeNamed", { name: template.name })}
        </Button>
      )}
      <Button block disabled={!body} onClick={() => start()}>
        {t("template.save")}
      </Button>
    </Flex>
  );
}
