import { Button, Form, Input, Modal, Select } from "antd";
import { useState } from "react";
import type { NewToken, TokenInput } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useRefusal } from "@/shared/ui/refusal";
import { SecretDialog } from "@/shared/ui/secret-dialog";
import { useCreateToken, useRobots } from "../api/tokens";
import { AREAS, SMALLEST_SCOPE, scopesOf } from "../model/scopes";

/** Lifetimes of a token. */
const EXPIRY_DAYS = [7, 30, 90, 365] as const;

/** Asks, then shows the secret once. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("tokens");
  const [token, setToken] = useState<NewToken | null>(null);
  if (token) return <TokenSecret token={token} onClose={onClose} />;
  return (
    <Modal open title={t("create")} footer={null} onCancel={onClose}>
      <TokenForm onCreated={setToken} />
    </Modal>
  );
}

const MYSELF = "";

/** Asks for a token's name, owner, scopes and life. */
function TokenForm({ onCreated }: { onCreated: (token: NewToken) => void }) {
  const { t } = useTranslation("tokens");
  const robots = useRobots().data ?? [];
  const [form] = Form.useForm<TokenInput>();
  const create = useCreateToken();
  const refusal = useRefusal(form, create);
  const submit = ({ robot, ...rest }: TokenInput) => {
    refusal.forget();
    create.mutate(
      { ...rest, ...(robot && { robot }) },
      { onSuccess: onCreated, onError: (error) => refusal.mark(error) },
    );
  };
  return (
    <Form<TokenInput>
      form={form}
      layout="vertical"
      requiredMark={false}
      initialValues={{ robot: MYSELF, scopes: [SMALLEST_SCOPE], expires_in_days: EXPIRY_DAYS[1] }}
      onValuesChange={refusal.forget}
      onFinish={submit}
    >
      <Form.Item
        name="name"
        label={t("column.name")}
        rules={[{ required: true, max: 63, message: t("nameMissing") }]}
      >
        <Input autoComplete="off" placeholder={t("namePlaceholder")} />
      </Form.Item>
      <Form.Item name="robot" label={t("column.who")} extra={t("whoAbout")}>
        <Select
          options={[
            { value: MYSELF, label: t("myself") },
            ...robots.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </Form.Item>
      <Form.Item
        name="scopes"
        label={t("column.scopes")}
        extra={t("scopesAbout")}
        rules={[{ type: "array", min: 1, message: t("scopesMissing") }]}
      >
        <Select
          mode="multiple"
          optionFilterProp="label"
          options={AREAS.map((area) => ({
            label: t(`area.${area}`),
            options: scopesOf(area).map((value) => ({ value, label: t(`scope.${value}`) })),
          }))}
        />
      </Form.Item>
      <Form.Item name="expires_in_days" label={t("column.expires")}>
        <Select
          options={EXPIRY_DAYS.map((value) => ({ value, label: t("days", { count: value }) }))}
        />
      </Form.Item>
      {refusal.error && <ProblemAlert error={refusal.error} form={form} />}
      <Button type="primary" htmlType="submit" loading={create.isPending}>
        {t("create")}
      </Button>
    </Form>
  );
}

/** The secret, shown this once, with a command that proves it. */
function TokenSecret({ token, onClose }: { token: NewToken; onClose: () => void }) {
  const { t } = useTranslation("tokens");
  const portalUrl = useConfig()?.portal_url ?? window.location.origin;
  const page = token.scopes.includes("workload.view") ? "workloads" : "me";
  return (
    <SecretDialog title={t("create")} warning={t("once")} onClose={onClose}>
      <CodeBlock label={t("secret")} text={token.token} />
      <CodeBlock
        label={t("tryIt")}
        text={`export BERTH_TOKEN=${token.token}\ncurl -H "Authorization: Bearer $BERTH_TOKEN" ${portalUrl}/api/v1/${page}`}
      />
    </SecretDialog>
  );
}
