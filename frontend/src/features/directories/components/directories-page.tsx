import { Button, Flex, Tag } from "antd";
import { useState } from "react";
import type { Directory, DirectoryToken } from "@/shared/api/types";
import { useCodedText, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { CodeBlock } from "@/shared/ui/code-block";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { MoreActions } from "@/shared/ui/more-actions";
import { asSavedNow, later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  useDirectories,
  useIssueToken,
  useRemoveDirectory,
  useRevokeScimToken,
  useSyncDirectory,
} from "../api/directories";
import { lastContactOf, stateOf, wayOf } from "../model/directory";

const LaterDirectory = later(async () => (await import("./directory-dialog")).DirectoryDialog);
const LaterDirectoryRules = later(
  async () => (await import("./rules-dialog")).DirectoryRulesDialog,
);
const LaterToken = later(async () => (await import("@/shared/ui/secret-dialog")).SecretDialog);

/** What is opened on a directory. */
interface Opened {
  part: "settings" | "rules";
  directory: Directory | "new";
}

/** Where the people of the organisation come from, for platform administrators. */
export function DirectoriesPage() {
  const { t } = useTranslation("directories");
  const directories = useDirectories();
  const [opened, setOpened] = useState<Opened | null>(null);
  const [issued, setIssued] = useState<DirectoryToken | null>(null);
  const add = (
    <Button type="primary" onClick={() => setOpened({ part: "settings", directory: "new" })}>
      {t("add")}
    </Button>
  );
  const close = () => setOpened(null);
  const shown = opened && asSavedNow(opened.directory, directories.data);
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={add} />
      <ListOfQuery
        id="directories"
        query={directories}
        label={t("title")}
        columns={useDirectoryColumns(setOpened, setIssued)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
      />
      {opened?.part === "settings" && (
        <LaterDirectory directory={shown ?? undefined} onClose={close} />
      )}
      {opened?.part === "rules" && shown && (
        <LaterDirectoryRules directory={shown} onClose={close} />
      )}
      {issued && <TokenOnce issued={issued} onClose={() => setIssued(null)} />}
    </>
  );
}

function useDirectoryColumns(
  onOpen: (opened: Opened) => void,
  onIssued: (issued: DirectoryToken) => void,
): ListColumn<Directory>[] {
  const { t } = useTranslation("directories");
  return [
    {
      key: "name",
      title: t("column.name"),
      value: ({ title }) => title,
      cell: ({ title, name }) => (
        <>
          <strong>{title}</strong>
          <span className="second">{name}</span>
        </>
      ),
    },
    { key: "kind", title: t("column.kind"), cell: (directory) => <Kinds of={directory} /> },
    {
      key: "state",
      title: t("column.state"),
      value: (directory) => t(`state.${stateOf(directory)}`),
      cell: (directory) => <State of={directory} />,
    },
    {
      key: "contact",
      title: t("column.contact"),
      value: lastContactOf,
      cell: (directory) => <Age at={lastContactOf(directory)} />,
    },
    {
      key: "people",
      title: t("column.people"),
      isShort: true,
      value: ({ people }) => people,
      cell: ({ people }) => people,
    },
    {
      key: "groups",
      title: t("column.groups"),
      isShort: true,
      value: ({ external_groups }) => external_groups,
      cell: ({ external_groups }) => external_groups,
    },
    {
      key: "rules",
      title: t("column.rules"),
      isShort: true,
      value: ({ rules }) => rules.length,
      cell: ({ rules }) => rules.length,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (directory) => (
        <DirectoryActions directory={directory} onOpen={onOpen} onIssued={onIssued} />
      ),
    },
  ];
}

/** In one word; of a failed reading, why. */
function State({ of }: { of: Directory }) {
  const { t } = useTranslation("directories");
  const coded = useCodedText();
  const state = stateOf(of);
  if (!of.sync_fault) return t(`state.${state}`);
  const { code, params } = of.sync_fault;
  return (
    <>
      <Tag color="error">{t(`state.${state}`)}</Tag>
      <div className="second">{coded(`directories:fault.${code}`, params as never) ?? code}</div>
    </>
  );
}

function Kinds({ of }: { of: Directory }) {
  const { t } = useTranslation("directories");
  const way = wayOf(of);
  if (way === "none" && !of.has_token) return "–";
  return (
    <Flex wrap gap={4}>
      {way !== "none" && <Tag>{t(`way.${way}`)}</Tag>}
      {of.has_token && <Tag>{t("scim")}</Tag>}
    </Flex>
  );
}

interface DirectoryActionsProps {
  directory: Directory;
  onOpen: (opened: Opened) => void;
  onIssued: (issued: DirectoryToken) => void;
}

function DirectoryActions({ directory, onOpen, onIssued }: DirectoryActionsProps) {
  const { t } = useTranslation("directories");
  const { id, title, has_token, people, ldap } = directory;
  const issue = useIssueToken(id, onIssued);
  const remove = useRemoveDirectory();
  return (
    <Flex gap={4}>
      <Button
        size="small"
        aria-label={t("rulesOf", { title })}
        onClick={() => onOpen({ part: "rules", directory })}
      >
        {t("rules.title")}
      </Button>
      <Button
        size="small"
        aria-label={t("editOf", { title })}
        onClick={() => onOpen({ part: "settings", directory })}
      >
        {t("edit")}
      </Button>
      <MoreActions label={t("moreOf", { title })}>
        {ldap ? (
          <SyncNow directory={directory} />
        ) : (
          <ConfirmButton
            action={t("token.issue")}
            label={t("token.issueOf", { title })}
            question={t(has_token ? "token.renewQuestion" : "token.issueQuestion")}
            mutation={issue}
            input={undefined}
          />
        )}
        {has_token && <RevokeToken directory={directory} />}
        <ConfirmButton
          action={t("remove")}
          label={t("removeOf", { title })}
          question={t("removeQuestion", { count: people })}
          isDangerous
          mutation={remove}
          input={id}
        />
      </MoreActions>
    </Flex>
  );
}

/** Reads it at once; where many have left, only after that was said. */
function SyncNow({ directory: { id, title, sync_fault } }: { directory: Directory }) {
  const { t } = useTranslation("directories");
  const isHeld = HELD_BACK.some((code) => code === sync_fault?.code);
  return (
    <ConfirmButton
      action={t(isHeld ? "sync.accept" : "sync.now")}
      label={t("sync.of", { title })}
      question={t(isHeld ? "sync.acceptQuestion" : "sync.question")}
      isDangerous={isHeld}
      mutation={useSyncDirectory(id)}
      input={isHeld}
    />
  );
}

/** Readings that shut nobody out, because they would have shut out too many. */
const HELD_BACK = ["ldap_too_many_leave", "ldap_nobody_found"] as const;

function RevokeToken({ directory: { id, title } }: { directory: Directory }) {
  const { t } = useTranslation("directories");
  return (
    <ConfirmButton
      action={t("token.revoke")}
      label={t("token.revokeOf", { title })}
      question={t("token.revokeQuestion")}
      isDangerous
      mutation={useRevokeScimToken(id)}
      input={undefined}
    />
  );
}

interface TokenOnceProps {
  issued: DirectoryToken;
  onClose: () => void;
}

/** Where a directory provisions people, and its new token, shown this once. */
function TokenOnce({ issued: { title, token, scim_url }, onClose }: TokenOnceProps) {
  const { t } = useTranslation("directories");
  return (
    <LaterToken title={t("token.of", { title })} warning={t("token.once")} onClose={onClose}>
      <CodeBlock label={t("token.address")} text={scim_url} />
      <CodeBlock label={t("token.token")} text={token} />
      <p>{t("token.next")}</p>
    </LaterToken>
  );
}
