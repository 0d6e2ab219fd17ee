import { useNavigate } from "@tanstack/react-router";
import { Button, Form, type FormInstance } from "antd";
import { useEffect, useRef, useState } from "react";
import { type FieldFault, fieldErrorsOf, problemOf } from "@/shared/api/problem";
import type { Policy, PolicyAnswer, PolicySave, Pool } from "@/shared/api/types";
import { useCreateStudy, usePools } from "@/shared/cluster/api/cluster";
import { formatDuration } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { SavedMeanwhile } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { Panel } from "@/shared/ui/page";
import { ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { usePolicy, useSetPolicy } from "../api/policy";
import { knobAt, policyChange, SECTIONS } from "../model/knobs";
import { KnobField } from "./knob-field";
import styles from "./policy.module.css";
import { PolicyHistoryPanel, PolicyReasonField } from "./policy-history";

const STUDY_DAYS = 14;
/** Where a study of this pool's rules holds them. */
const PLACE = "/pools/0/policy";

/** The rules of one pool; platform roles read them, operators and platform admins set them. */
export function PolicyPage({ pool }: { pool: Pool }) {
  return (
    <QueryBoundary query={usePolicy(pool.id)} rows={8}>
      {(answer) => (
        <>
          <PolicyForm pool={pool} answer={answer} />
          <PolicyHistoryPanel pool={pool} defaults={answer.defaults} />
        </>
      )}
    </QueryBoundary>
  );
}

function PolicyForm({ pool, answer }: { pool: Pool; answer: PolicyAnswer }) {
  const { t } = useTranslation("policy");
  const messages = useMessages();
  const [form] = Form.useForm<PolicySave>();
  const [seen, setSeen] = useSavedRules(form, answer);
  const set = useSetPolicy(pool.id);
  const isEditable = isOperator(useMe());
  const ask = useCreateStudy();
  const navigate = useNavigate();
  const others = usePools().data?.filter(({ id }) => id !== pool.id) ?? [];
  const faultWords = useFaultWords();
  const markFields = (error: Error, place: string) =>
    form.setFields(fieldErrorsOf(problemOf(error), place, faultWords) as never);
  const save = (policy: PolicySave) =>
    set.mutate(
      { ...policy, version: seen },
      {
        onSuccess: () => {
          form.resetFields(["reason"]);
          messages.success(t("saved"));
        },
        onError: (error) => markFields(error, ""),
      },
    );
  const askWhatIf = ({ reason: _, ...policy }: PolicySave) =>
    ask.mutate(
      { days: STUDY_DAYS, pools: [{ pool: pool.id, policy: policyChange(answer.policy, policy) }] },
      {
        onSuccess: ({ id }) => void navigate({ to: "/what-if/$id", params: { id } }),
        onError: (error) => markFields(error, PLACE),
      },
    );
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
      onFinish={save}
    >
      {SECTIONS.map(({ name, knobs }) => (
        <Panel key={name} title={t(`section.${name}`)}>
          <div className={styles.knobs}>
            {knobs.map((knob) => (
              <KnobField key={knob.name} knob={knob} defaults={answer.defaults} pools={others} />
            ))}
          </div>
        </Panel>
      ))}
      {(set.error ?? ask.error) && <ProblemAlert error={set.error ?? ask.error} form={form} />}
      {set.error && (
        <SavedMeanwhile
          error={set.error}
          form={form}
          isOutdated={seen !== answer.version}
          edits={() => policyChange(answer.policy, form.getFieldsValue(true))}
          onSeen={() => setSeen(answer.version)}
        />
      )}
      {isEditable && <PolicyReasonField />}
      {isEditable && (
        <div className={styles.actions}>
          <Button type="primary" htmlType="submit" loading={set.isPending}>
            {t("save")}
          </Button>
          <Button
            onClick={() => void form.validateFields().then(askWhatIf, scrollToFault)}
            loading={ask.isPending}
            title={t("whatIfAbout")}
          >
            {t("whatIf", { count: STUDY_DAYS })}
          </Button>
          <Button onClick={() => form.setFieldsValue(answer.defaults)}>{t("toDefaults")}</Button>
        </div>
      )}
    </Form>
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
