import { Alert, Button } from "antd";
import { useState } from "react";
import type { SshKey } from "@/shared/api/types";
import { useDeleteSshKey, useSshKeys } from "@/shared/cluster/api/credentials";
import { useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { Confirm } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  SshLine,
  sshCommand,
  sshStanza,
  useSshGateway,
} from "@/shared/workload/components/ssh-panel";

const LaterKeyDialog = later(async () => (await import("./key-dialog")).KeyDialog);

/** My SSH keys, and what to type with them. */
export function SshKeysPage() {
  const { t } = useTranslation("ssh-keys");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={<AddKey />} />
      <div className="stack">
        <KeyTable />
        <HowTo />
      </div>
    </>
  );
}

/** My keys, by name and fingerprint. */
function KeyTable() {
  const { t } = useTranslation("ssh-keys");
  const keys = useSshKeys();
  const nameOf = ({ name }: SshKey) => name;
  const kindOf = ({ kind }: SshKey) => kind;
  const columns: ListColumn<SshKey>[] = [
    { key: "name", title: t("name"), value: nameOf, cell: nameOf },
    { key: "kind", title: t("kind"), value: kindOf, cell: kindOf },
    {
      key: "fingerprint",
      title: t("fingerprint"),
      value: ({ fingerprint }) => fingerprint,
      cell: ({ fingerprint }) => <code style={{ overflowWrap: "anywhere" }}>{fingerprint}</code>,
    },
    {
      key: "added",
      title: t("added"),
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Age at={created_at} />,
    },
    {
      key: "used",
      title: t("used"),
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => <Age at={last_used_at} />,
    },
    { key: "action", title: t("action"), cell: ({ id }) => <DeleteButton keyId={id} /> },
  ];
  return (
    <ListOfQuery
      id="ssh-keys"
      query={keys}
      label={t("title")}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
    />
  );
}

function DeleteButton({ keyId }: { keyId: string }) {
  const { t } = useTranslation("ssh-keys");
  const remove = useDeleteSshKey();
  return (
    <Confirm
      title={t("deleteQuestion")}
      okText={t("deleteConfirm")}
      cancelText={t("keep")}
      okButtonProps={{ danger: true }}
      onConfirm={() => remove.mutate(keyId)}
    >
      <Button size="small" danger loading={remove.isPending}>
        {t("delete")}
      </Button>
    </Confirm>
  );
}

/** The page's primary action. */
function AddKey() {
  const { t } = useTranslation("ssh-keys");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {t("add")}
      </Button>
      {isOpen && <LaterKeyDialog onClose={() => setOpen(false)} />}
    </>
  );
}

/** What to type, with this installation's own address. */
function HowTo() {
  const { t } = useTranslation(["ssh-keys", "workload"]);
  const gateway = useSshGateway();
  if (gateway === undefined) return null;
  if (gateway === null) return <Alert type="info" showIcon title={t("off")} />;
  const name = t("workload");
  const { host, port } = gateway;
  return (
    <Panel title={t("how")}>
      <div className="stack">
        <SshLine label={t("workload:ssh.shell")} text={sshCommand(gateway, name)} />
        <SshLine
          label={t("forward")}
          text={sshCommand(gateway, name, "-N -L 6006:localhost:6006 ")}
        />
        <SshLine label={t("files")} text={`sftp -P ${port} files@${host}`} />
        <SshLine
          label={t("config")}
          text={`${sshStanza(gateway, "berth-*")}\n\nHost berth-lab\n  User lab`}
        />
      </div>
    </Panel>
  );
}
