import { Button, Flex, Popconfirm, Tag } from "antd";
import { useTranslation } from "react-i18next";
import type { Token } from "@/shared/api/types";
import { useCodedText } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useRevokeToken, useTokens } from "../api/use-tokens";

/** My tokens and those of my groups' robots; secrets are never shown again. */
export function TokenTable() {
  const { t } = useTranslation("tokens");
  const me = useMe();
  const tokens = useTokens();
  if (tokens.isPending) return <Loading />;
  if (!tokens.data) {
    return <ProblemAlert error={tokens.error} onRetry={() => void tokens.refetch()} />;
  }
  if (tokens.data.length === 0) {
    return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  }
  const columns: Column<Token>[] = [
    { key: "name", title: t("column.name"), cell: ({ name }) => name },
    {
      key: "who",
      title: t("column.who"),
      cell: ({ user }) => (user.id === me.id ? t("myself") : user.display_name || user.username),
    },
    { key: "scopes", title: t("column.scopes"), cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    {
      key: "used",
      title: t("column.used"),
      cell: ({ last_used_at }) => <Age at={last_used_at} />,
    },
    {
      key: "expires",
      title: t("column.expires"),
      cell: ({ expires_at }) => <Age at={expires_at} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: ({ id, revoked_at }) => (revoked_at ? t("revoked") : <RevokeButton tokenId={id} />),
    },
  ];
  return (
    <DataTable label={t("title")} columns={columns} rows={tokens.data} rowKey={({ id }) => id} />
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
    <Popconfirm
      title={t("revokeQuestion")}
      okText={t("revokeConfirm")}
      okButtonProps={{ danger: true }}
      onConfirm={() => revoke.mutate(tokenId)}
    >
      <Button size="small" danger loading={revoke.isPending}>
        {t("revoke")}
      </Button>
    </Popconfirm>
  );
}
