import { App, Button, Form } from "antd";
import { useTranslation } from "react-i18next";
import { fieldErrorsOf } from "@/shared/api/field-faults";
import { problemOf } from "@/shared/api/problem";
import type { Policy, PolicyAnswer, Pool } from "@/shared/api/types";
import { usePools } from "@/shared/cluster/api/use-pools";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { Loading } from "@/shared/ui/loading";
import { Panel } from "@/shared/ui/panel";
import { ProblemAlert } from "@/shared/ui/problem-alert";
import { usePolicy, useSetPolicy } from "../api/use-policy";
import { SECTIONS } from "../model/knobs";
import { KnobField } from "./knob-field";
import styles from "./policy.module.css";

/** The rules of one pool; everybody with a view of the platform reads them, who runs nodes and pools sets them. */
export function PolicyPage({ pool }: { pool: Pool }) {
  const policy = usePolicy(pool.id);
  if (policy.isPending) return <Loading rows={8} />;
  if (!policy.data) {
    return <ProblemAlert error={policy.error} onRetry={() => void policy.refetch()} />;
  }
  return <PolicyForm pool={pool} answer={policy.data} />;
}

function PolicyForm({ pool, answer }: { pool: Pool; answer: PolicyAnswer }) {
  const { t } = useTranslation("policy");
  const { message } = App.useApp();
  const [form] = Form.useForm<Policy>();
  const set = useSetPolicy(pool.id);
  const isEditable = isOperator(useMe());
  const others = usePools().data?.filter(({ id }) => id !== pool.id) ?? [];
  const save = (policy: Policy) =>
    set.mutate(policy, {
      onSuccess: () => void message.success(t("saved")),
      onError: (error) => form.setFields(fieldErrorsOf(problemOf(error)) as never),
    });
  return (
    <Form<Policy>
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
      {set.isError && <ProblemAlert error={set.error} />}
      {isEditable && (
        <div className={styles.actions}>
          <Button type="primary" htmlType="submit" loading={set.isPending}>
            {t("save")}
          </Button>
          <Button onClick={() => form.setFieldsValue(answer.defaults)}>{t("toDefaults")}</Button>
        </div>
      )}
    </Form>
  );
}
