import { Button, Flex, Form, Input, Modal, Select, Tag } from "antd";
import { useState } from "react";
import type { NewToken, Token, TokenInput } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useConfig, useMe } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { Confirm } from "@/shared/ui/confirm-button";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, ProblemAlert } from "@/shared/ui/query-states";
import { SecretDialog } from "@/shared/ui/secret-dialog";
import { Age } from "@/shared/ui/time";
import { useCreateToken, useRevokeToken, useRobots, useTokens } from "../api/tokens";
import { AREAS, SMALLEST_SCOPE, scopesOf } from "../model/scopes";

/** The API describes itself there; it is no page of ours. */
const API_DOCS = "/api/docs";
/** Lifetimes of a token. */
const EXPIRY_DAYS = [7, 30, 90, 365] as const;

/** My tokens, and how to get another. */
export function TokensPage() {
  const { t } = useTranslation("tokens");
  const actions = (
    <>
      <Button href={API_DOCS} target="_blank">
        {t("apiDocs")}
      </Button>
      <CreateToken />
    </>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={actions} />
      <TokenTable />
    </>
  );
}

/** My tokens and those of my groups' robots; secrets are never shown again. */
function TokenTable() {
  const { t } = useTranslation("tokens");
  const me = useMe();
  const tokens = useTokens();
  const nameOf = ({ name }: Token) => name;
  const ownerOf = ({ user }: Token) =>
    user.id === me.id ? t("myself") : user.display_name || user.username;
  const columns: ListColumn<Token>[] = [
    { key: "name", title: t("column.name"), value: nameOf, cell: nameOf },
    { key: "who", title: t("column.who"), value: ownerOf, cell: ownerOf },
    {
      key: "scopes",
      title: t("column.scopes"),
      value: ({ scopes }) => scopes.join(" "),
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      key: "used",
      title: t("column.used"),
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => <Age at={last_used_at} />,
    },
    {
      key: "expires",
      title: t("column.expires"),
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => <Age at={expires_at} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: ({ id, revoked_at }) => (revoked_at ? t("revoked") : <RevokeButton tokenId={id} />),
    },
  ];
  return (
    <ListOfQuery
      id="tokens"
      query={tokens}
      label={t("title")}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
    />
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const coded = useCodedText();
  return (
    <Flex wrap gap={4}>
      {scopes.map((scope) => (
        <Tag key={scope}>{coded(`tokens:scope.${scope}`) ?? scope}</Tag>
      ))}
    </Flex>
  );
}

function RevokeButton({ tokenId }: { tokenId: string }) {
  const { t } = useTranslation("tokens");
  const revoke = useRevokeToken();
  return (
    <Confirm
      title={t("revokeQuestion")}
      okText={t("revokeConfirm")}
      okButtonProps={{ danger: true }}
      onConfirm={() => revoke.mutate(tokenId)}
    >
      <Button size="small" danger loading={revoke.isPending}>
        {t("revoke")}
      </Button>
    </Confirm>
  );
}

/** The page's primary action: a dialog that asks, then shows the secret once. */
function CreateToken() {
  const { t } = useTranslation("tokens");
  const [isOpen, setOpen] = useState(false);
  const [token, setToken] = useState<NewToken | null>(null);
  const close = () => {
    setOpen(false);
    setToken(null);
  };
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {t("create")}
      </Button>
      {token ? (
        <TokenSecret token={token} onClose={close} />
      ) : (
        <Modal open={isOpen} title={t("create")} footer={null} onCancel={close} destroyOnHidden>
          <TokenForm onCreated={setToken} />
        </Modal>
      )}
    </>
  );
}

const MYSELF = "";

/** Asks for a token's name, owner, scopes and life. */
function TokenForm({ onCreated }: { onCreated: (token: NewToken) => void }) {
  const { t } = useTranslation("tokens");
  const robots = useRobots().data ?? [];
  const create = useCreateToken();
  const submit = ({ robot, ...rest }: TokenInput) =>
    create.mutate({ ...rest, ...(robot && { robot }) }, { onSuccess: onCreated });
  return (
    <Form<TokenInput>
      layout="vertical"
      requiredMark={false}
      initialValues={{ robot: MYSELF, scopes: [SMALLEST_SCOPE], expires_in_days: EXPIRY_DAYS[1] }}
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
      {create.isError && <ProblemAlert error={create.error} />}
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
