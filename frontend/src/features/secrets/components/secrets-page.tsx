import { Button, Flex } from "antd";
import { useState } from "react";
import { problemOf } from "@/shared/api/problem";
import type { Secret } from "@/shared/api/types";
import { useSecrets } from "@/shared/cluster/api/credentials";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useDeleteSecret } from "../api/secrets";

const LaterSecretInUse = later(async () => (await import("./secret-form")).SecretInUse);
const LaterSecretForm = later(async () => (await import("./secret-form")).SecretForm);

/** My secrets and those of my groups: names, ages and use; values are never shown. */
export function SecretsPage() {
  const language = useLanguage();
  const { t } = useTranslation("secrets");
  const [edited, setEdited] = useState<Secret | "new" | null>(null);
  const ownerOf = ({ group }: Secret) => (group && titleOf(group, language)) ?? t("mine");
  const columns: ListColumn<Secret>[] = [
    {
      key: "name",
      title: t("name"),
      value: ({ name }) => name,
      cell: ({ name }) => <code className="mono">{name}</code>,
    },
    { key: "owner", title: t("owner"), value: ownerOf, cell: ownerOf },
    {
      key: "changed",
      title: t("changed"),
      value: ({ changed_at }) => changed_at,
      cell: ({ changed_at }) => <Age at={changed_at} />,
    },
    {
      key: "used",
      title: t("used"),
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => <Age at={last_used_at} />,
    },
    {
      key: "action",
      title: t("action"),
      cell: (secret) =>
        secret.may_change ? (
          <Flex gap={8} wrap>
            <Button
              size="small"
              aria-label={t("replaceNamed", { name: secret.name })}
              onClick={() => setEdited(secret)}
            >
              {t("replace")}
            </Button>
            <DeleteSecretButton secret={secret} />
          </Flex>
        ) : (
          <span className="second">{t("useOnly")}</span>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title={t("title")}
        about={t("about")}
        actions={
          <Button type="primary" onClick={() => setEdited("new")}>
            {t("add")}
          </Button>
        }
      />
      <ListOfQuery
        id="secrets"
        query={useSecrets()}
        label={t("title")}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
      />
      {edited && (
        <LaterSecretForm
          secret={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

/** Deletes after a confirmation; asks once more while work that may start again names it. */
function DeleteSecretButton({ secret: { id, name } }: { secret: Secret }) {
  const { t } = useTranslation("secrets");
  const [inUse, setInUse] = useState<string | null>(null);
  const showProblem = useProblemMessage();
  const remove = useDeleteSecret();
  const insist = (error: Error) => {
    const { code, detail } = problemOf(error);
    if (code !== "secret_in_use") {
      showProblem(error);
      return;
    }
    setInUse(detail);
  };
  const force = () => remove.mutate({ id, force: true }, { onError: showProblem });
  return (
    <>
      <ConfirmButton
        action={t("delete")}
        label={t("deleteNamed", { name })}
        question={t("deleteQuestion")}
        isDangerous
        mutation={{
          isPending: remove.isPending,
          mutate: (input: { id: string; force: boolean }) =>
            remove.mutate(input, { onError: insist }),
        }}
        input={{ id, force: false }}
      />
      {inUse !== null && (
        <LaterSecretInUse about={inUse} onDelete={force} onClose={() => setInUse(null)} />
      )}
    </>
  );
}
