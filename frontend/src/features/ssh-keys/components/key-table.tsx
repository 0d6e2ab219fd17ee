import { Button, Popconfirm } from "antd";
import { useTranslation } from "react-i18next";
import type { SshKey } from "@/shared/api/types";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useDeleteSshKey, useSshKeys } from "../api/use-ssh-keys";

/** My keys, by name and fingerprint. */
export function KeyTable() {
  const { t } = useTranslation("ssh-keys");
  const keys = useSshKeys();
  if (keys.isPending) return <Loading />;
  if (!keys.data) return <ProblemAlert error={keys.error} onRetry={() => void keys.refetch()} />;
  if (keys.data.length === 0) {
    return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  }
  const columns: Column<SshKey>[] = [
    { key: "name", title: t("name"), cell: ({ name }) => name },
    { key: "kind", title: t("kind"), cell: ({ kind }) => kind },
    {
      key: "fingerprint",
      title: t("fingerprint"),
      cell: ({ fingerprint }) => <code style={{ overflowWrap: "anywhere" }}>{fingerprint}</code>,
    },
    { key: "added", title: t("added"), cell: ({ created_at }) => <Age at={created_at} /> },
    { key: "used", title: t("used"), cell: ({ last_used_at }) => <Age at={last_used_at} /> },
    { key: "action", title: t("action"), cell: ({ id }) => <DeleteButton keyId={id} /> },
  ];
  return (
    <DataTable label={t("title")} columns={columns} rows={keys.data} rowKey={({ id }) => id} />
  );
}

function DeleteButton({ keyId }: { keyId: string }) {
  const { t } = useTranslation("ssh-keys");
  const remove = useDeleteSshKey();
  return (
    <Popconfirm
      title={t("deleteQuestion")}
      okText={t("deleteConfirm")}
      cancelText={t("keep")}
      okButtonProps={{ danger: true }}
      onConfirm={() => remove.mutate(keyId)}
    >
      <Button size="small" danger loading={remove.isPending}>
        {t("delete")}
      </Button>
    </Popconfirm>
  );
}
