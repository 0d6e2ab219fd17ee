import { Button, Checkbox, Form, Input, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { NewToken, TokenInput } from "@/shared/api/types";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useCreateToken, useRobots } from "../api/use-tokens";
import { EXPIRY_DAYS, SCOPES } from "../model/scopes";

const MYSELF = "";

/** Asks for a token's name, owner, scopes and life. */
export function TokenForm({ onCreated }: { onCreated: (token: NewToken) => void }) {
  const { t } = useTranslation("tokens");
  const robots = useRobots().data ?? [];
  const create = useCreateToken();
  const submit = ({ robot, ...rest }: TokenInput) =>
    create.mutate({ ...rest, ...(robot && { robot }) }, { onSuccess: onCreated });
  return (
    <Form<TokenInput>
      layout="vertical"
      requiredMark={false}
      initialValues={{ robot: MYSELF, scopes: [...SCOPES], expires_in_days: EXPIRY_DAYS[1] }}
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
        rules={[{ required: true, message: t("scopesMissing") }]}
      >
        <Checkbox.Group options={SCOPES.map((value) => ({ value, label: t(`scope.${value}`) }))} />
      </Form.Item>
      <Form.Item name="expires_in_days" label={t("column.expires")}>
        <Select
          options={EXPIRY_DAYS.map((value) => ({ value, label: t("days", { count: value }) }))}
        />
      </Form.Item>
      {create.isError && <ProblemAlert error={create.error} />}
      <Button type="primary" htmlType="submit" loading={create.isPending}>
        {t("create")}
      </Button>
    </Form>
  );
}
