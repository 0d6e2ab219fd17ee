import { useNavigate } from "@tanstack/react-router";
import { Button, Form, type FormInstance } from "antd";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { FieldFault } from "@/shared/api/problem";
import type { Policy, PolicyAnswer, PolicyChange, PolicySave, Pool } from "@/shared/api/types";
import { useCreateStudy, usePools } from "@/shared/cluster/api/cluster";
import { formatDuration } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator, isStaff } from "@/shared/session/roles";
import { SaveBar, SectionList, UnsavedGuard } from "@/shared/ui/long-form";
import { useMessages } from "@/shared/ui/messages";
import { prefetched } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { PageTabs } from "@/shared/ui/page-tabs";
import { ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { SavedMeanwhile, useRefusal } from "@/shared/ui/refusal";
import { usePolicy, useSetPolicy } from "../api/policy";
import { knobAt, policyChange, SECTIONS } from "../model/knobs";
import { KnobField, PolicyReasonField } from "./knob-field";
import styles from "./policy.module.css";

const LaterSubmissionRules = prefetched(
  async () => (await import("@/shared/rules/components/rules-panel")).PoolRulesPanel,
);
const LaterRunTimes = prefetched(async () => (await import("./run-times-panel")).RunTimesPanel);
const LaterPolicyHistory = prefetched(
  async () => (await import("./policy-history")).PolicyHistoryPanel,
);

const STUDY_DAYS = 14;
/** Where a study of this pool's rules holds them. */
const PLACE = "/pools/0/policy";
/** Edits that are being studied, by pool: who comes back from the study goes on with them. */
const studied = new Map<string, { version: number; edits: PolicyChange }>();

/** The rules of one pool; platform roles read them, operators and platform admins set them. */
export function PolicyPage({ pool }: { pool: Pool }) {
  const { t } = useTranslation("policy");
  const mayJudge = isStaff(useMe());
  const policy = usePolicy(pool.id);
  const ofPolicy = (content: (answer: PolicyAnswer) => ReactNode) => (
    <QueryBoundary query={policy} rows={8}>
      {content}
    </QueryBoundary>
  );
  return (
    <div>
      <PageTabs
        label={t("title")}
        tabs={[
          {
            key: "rules",
            label: t("tab.rules"),
            content: ofPolicy((answer) => <PolicyForm pool={pool} answer={answer} />),
          },
          {
            key: "submission",
            label: t("tab.submission"),
            content: <LaterSubmissionRules pool={pool} />,
          },
          ...(mayJudge
            ? [
                {
                  key: "prediction",
                  label: t("tab.runTimes"),
                  content: <LaterRunTimes pool={pool} />,
                },
              ]
            : []),
          {
            key: "history",
            label: t("tab.history"),
            content: ofPolicy(({ defaults }) => (
              <LaterPolicyHistory pool={pool} defaults={defaults} />
            )),
          },
        ]}
      />
    </div>
  );
}

function PolicyForm({ pool, answer }: { pool: Pool; answer: PolicyAnswer }) {
  const { t } = useTranslation("policy");
  const messages = useMessages();
  const [form] = Form.useForm<PolicySave>();
  const [seen, setSeen] = useSavedRules(form, answer);
  useStudiedEdits(form, pool, answer.version);
  const set = useSetPolicy(pool.id);
  const isEditable = isOperator(useMe());
  const ask = useCreateStudy();
  const navigate = useNavigate();
  const others = usePools().data?.filter(({ id }) => id !== pool.id) ?? [];
  const faultWords = useFaultWords();
  const refusal = useRefusal(form, set, ask);
  const editsNow = () => policyChange(answer.policy, form.getFieldsValue(true));
  const save = (policy: PolicySave) => {
    refusal.forget();
    set.mutate(
      { ...policy, version: seen },
      {
        onSuccess: () => {
          form.resetFields(["reason"]);
          messages.success(t("saved"));
        },
        onError: (error) => refusal.mark(error, "", faultWords),
      },
    );
  };
  const askWhatIf = ({ reason: _, ...policy }: PolicySave) => {
    refusal.forget();
    ask.mutate(
      { days: STUDY_DAYS, pools: [{ pool: pool.id, policy: policyChange(answer.policy, policy) }] },
      {
        onSuccess: ({ id }) => {
          studied.set(pool.id, { version: answer.version, edits: editsNow() });
          void navigate({ to: "/what-if/$id", params: { id }, ignoreBlocker: true });
        },
        onError: (error) => refusal.mark(error, PLACE, faultWords),
      },
    );
  };
  const toDefaults = () => {
    form.setFieldsValue(answer.defaults);
    refusal.forget(answer.defaults);
  };
  const scrollToFault = () => form.scrollToField(form.getFieldsError()[0]?.name ?? []);
  return (
    <Form<PolicySave>
      form={form}
      layout="vertical"
      requiredMark={false}
      scrollToFirstError
      disabled={!isEditable}
      className="stack"
      initialValues={answer.policy}
      onValuesChange={refusal.forget}
      onFinish={save}
    >
      <SectionList
        label={t("sections")}
        sections={SECTIONS.map(({ name }) => ({ id: name, title: t(`section.${name}`) }))}
      />
      {SECTIONS.map(({ name, knobs }) => (
        <Panel key={name} id={name} title={t(`section.${name}`)}>
          <div className={styles.knobs}>
            {knobs.map((knob) => (
              <KnobField key={knob.name} knob={knob} defaults={answer.defaults} pools={others} />
            ))}
          </div>
        </Panel>
      ))}
      {refusal.error && <ProblemAlert error={refusal.error} form={form} />}
      {set.error && (
        <SavedMeanwhile
          error={set.error}
          form={form}
          isOutdated={seen !== answer.version}
          edits={editsNow}
          onSeen={() => setSeen(answer.version)}
        />
      )}
      {isEditable && <PolicyReasonField />}
      <UnsavedGuard isUnsaved={() => Object.keys(editsNow()).length > 0} />
      {isEditable && (
        <PolicyActions
          isSaving={set.isPending}
          isAsking={ask.isPending}
          onAsk={() => void form.validateFields().then(askWhatIf, scrollToFault)}
          onDefaults={toDefaults}
        />
      )}
    </Form>
  );
}

interface PolicyActionsProps {
  isSaving: boolean;
  isAsking: boolean;
  /** Ask what the rules would have done. */
  onAsk: () => void;
  onDefaults: () => void;
}

function PolicyActions({ isSaving, isAsking, onAsk, onDefaults }: PolicyActionsProps) {
  const { t } = useTranslation("policy");
  return (
    <SaveBar>
      <Button type="primary" htmlType="submit" loading={isSaving}>
        {t("save")}
      </Button>
      <Button onClick={onAsk} loading={isAsking} title={t("whatIfAbout")}>
        {t("whatIf", { count: STUDY_DAYS })}
      </Button>
      <Button onClick={onDefaults}>{t("toDefaults")}</Button>
    </SaveBar>
  );
}

/**
 * Fills in what has been saved since, by others or by an undo; edits that are not saved stay. Returns
 * the version that they may replace: an older one where others have changed the same rules.
 */
function useSavedRules(form: FormInstance<PolicySave>, answer: PolicyAnswer) {
  const filledIn = useRef(answer);
  const [seen, setSeen] = useState(answer.version);
  useEffect(() => {
    const { policy: before, version } = filledIn.current;
    if (filledIn.current === answer) return;
    const saved = answer.policy;
    const mine = { ...saved, ...policyChange(before, form.getFieldsValue(true) as Policy) };
    const [theirs, edits] = [policyChange(before, saved), policyChange(saved, mine)];
    form.setFieldsValue(mine);
    filledIn.current = answer;
    const isDisputed = Object.keys(edits).some((rule) => rule in theirs);
    if (!isDisputed) setSeen((was) => (was === version ? answer.version : was));
  }, [form, answer]);
  return [seen, setSeen] as const;
}

/** Puts edits back into the form from which they went to a study, unless the rules are others now. */
function useStudiedEdits(form: FormInstance<PolicySave>, { id }: Pool, version: number) {
  useEffect(() => {
    const mine = studied.get(id);
    studied.delete(id);
    if (mine && mine.version === version) form.setFieldsValue(mine.edits as Partial<PolicySave>);
  }, [form, id, version]);
}

/** Faults of times with their limit in the units of the page; the server counts in seconds. */
function useFaultWords(): (fault: FieldFault) => string {
  const { t } = useTranslation("policy");
  const coded = useCodedText();
  const language = useLanguage();
  return ({ pointer, params: { min, max }, detail, code }) => {
    const limit = max ?? min;
    if (knobAt(pointer)?.kind !== "time" || typeof limit !== "number") return detail || code;
    const value = formatDuration(limit, language);
    return (
      coded(`policy:fault.${code}`, { value }) ??
      t(max === undefined ? "atLeast" : "atMost", { value })
    );
  };
}
