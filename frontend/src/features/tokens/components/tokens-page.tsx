import { Button, Flex, Tag } from "antd";
import { useState } from "react";
import type { Token } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { Confirm } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useRevokeToken, useTokens } from "../api/tokens";

const LaterTokenDialog = later(async () => (await import("./token-dialog")).TokenDialog);

/** The API describes itself there; it is no page of ours. */
const API_DOCS = "/api/docs";

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

/** The page's primary action. */
function CreateToken() {
  const { t } = useTranslation("tokens");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {t("create")}
      </Button>
      {isOpen && <LaterTokenDialog onClose={() => setOpen(false)} />}
    </>
  );
}
