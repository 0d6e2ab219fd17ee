import { Button, Flex, Tag } from "antd";
import { useState } from "react";
import type { Person, PersonPassword } from "@/shared/api/types";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress, useListSort } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import { FilterChips } from "@/shared/lists/components/filter-chips";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { CodeBlock } from "@/shared/ui/code-block";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { SearchField } from "@/shared/ui/controls";
import { MoreActions } from "@/shared/ui/more-actions";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { Age } from "@/shared/ui/time";
import {
  loadAllPeople,
  type PeopleQuery,
  useActivatePerson,
  usePeople,
  useRemoveSecondFactors,
  useRenewPassword,
} from "../api/people";

const LaterPassword = later(async () => (await import("@/shared/ui/secret-dialog")).SecretDialog);
const LaterPersonDialog = later(async () => (await import("./person-dialog")).PersonDialog);

/** All accounts, for platform administrators. */
export function PeoplePanel() {
  const { t } = useTranslation("people");
  const { search: address, change } = useAddress();
  useArrival("people");
  const search = typeof address.person === "string" ? address.person.slice(0, 100) : "";
  const [edited, setEdited] = useState<Person | "new" | null>(null);
  const [issued, setIssued] = useState<PersonPassword | null>(null);
  return (
    <Panel
      title={t("people")}
      extra={
        <Button type="primary" onClick={() => setEdited("new")}>
          {t("person.add")}
        </Button>
      }
    >
      <div className="stack">
        <SearchField
          label={t("person.search")}
          value={search}
          onSearch={(text) => change({ person: text || undefined })}
        />
        {search && (
          <FilterChips chips={[{ name: "person", label: t("column.name"), value: search }]} />
        )}
        <PeopleTable search={search} onEdit={setEdited} onIssued={setIssued} />
      </div>
      {edited && (
        <LaterPersonDialog
          person={edited === "new" ? undefined : edited}
          onAdded={setIssued}
          onClose={() => setEdited(null)}
        />
      )}
      {issued && <PasswordOnce issued={issued} onClose={() => setIssued(null)} />}
    </Panel>
  );
}

interface PeopleTableProps {
  search: string;
  onEdit: (person: Person) => void;
  onIssued: (issued: PersonPassword) => void;
}

function PeopleTable({ search, onEdit, onIssued }: PeopleTableProps) {
  const { t } = useTranslation("people");
  const [sort] = useListSort("sort");
  const query: PeopleQuery = {
    ...(search && { search }),
    ...(sort?.key === "name" && { ordering: sort.isDescending ? "-username" : "username" }),
  };
  const people = usePeople(query);
  return (
    <ListOfQuery
      id="people"
      views="people"
      query={people}
      label={t("people")}
      columns={usePersonColumns({ onEdit, onIssued })}
      rowKey={({ id }) => id}
      serverSorts={SORTED_BY}
      loadAll={() => loadAllPeople(query)}
      onMore={moreOf(people)}
      isLoadingMore={people.isFetchingNextPage}
      empty={<p className="quiet">{t("person.none")}</p>}
    />
  );
}

/** The order is that of user names. */
const SORTED_BY = ["name"];

function usePersonColumns(props: Omit<PeopleTableProps, "search">): ListColumn<Person>[] {
  const { onEdit, onIssued } = props;
  const { t } = useTranslation("people");
  const coded = useCodedText();
  return [
    {
      key: "name",
      title: t("column.name"),
      cell: (person) => <PersonName person={person} />,
      value: ({ username }) => username,
    },
    {
      key: "state",
      title: t("column.state"),
      value: ({ is_active }) => t(is_active ? "person.active" : "person.inactive"),
      cell: ({ is_active }) =>
        is_active ? t("person.active") : <Tag color="warning">{t("person.inactive")}</Tag>,
    },
    {
      key: "platform",
      title: t("column.platformRole"),
      value: ({ platform_role }) => platform_role,
      cell: ({ platform_role: role }) =>
        role ? (coded(`people:platformRole.${role}`) ?? role) : "–",
    },
    {
      key: "groups",
      title: t("groups"),
      cell: (person) => <Memberships person={person} />,
      value: ({ memberships }) =>
        memberships.map(({ group, role }) => `${group.name}:${role}`).join(" "),
    },
    {
      key: "seen",
      title: t("column.seen"),
      value: ({ last_login }) => last_login ?? null,
      cell: ({ last_login }) => (last_login ? <Age at={last_login} /> : t("person.never")),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (person) => (
        <PersonActions person={person} onEdit={() => onEdit(person)} onIssued={onIssued} />
      ),
    },
  ];
}

function Memberships({ person: { memberships } }: { person: Person }) {
  const language = useLanguage();
  const coded = useCodedText();
  if (memberships.length === 0) return "–";
  return (
    <Flex wrap gap={4}>
      {memberships.map(({ group, role }) => (
        <Tag key={group.id}>
          {titleOf(group, language)} · {coded(`people:role.${role}`) ?? role}
        </Tag>
      ))}
    </Flex>
  );
}

interface PersonActionsProps {
  person: Person;
  onEdit: () => void;
  onIssued: (issued: PersonPassword) => void;
}

/** My own account keeps me signed in: my password is changed in the account menu. */
function PersonActions({
  person: { id, username, is_active },
  onEdit,
  onIssued,
}: PersonActionsProps) {
  const { t } = useTranslation("people");
  const me = useMe();
  const activate = useActivatePerson(id);
  const renew = useRenewPassword(id, onIssued);
  const removeFactors = useRemoveSecondFactors(id);
  return (
    <Flex gap={4}>
      <Button size="small" aria-label={t("person.editOf", { name: username })} onClick={onEdit}>
        {t("edit")}
      </Button>
      {id !== me.id && (
        <MoreActions label={t("person.moreOf", { name: username })}>
          <ConfirmButton
            action={t("person.renew")}
            label={t("person.renewOf", { name: username })}
            question={t("person.renewQuestion")}
            mutation={renew}
            input={undefined}
          />
          <ConfirmButton
            action={t("person.secondFactors")}
            label={t("person.secondFactorsOf", { name: username })}
            question={t("person.secondFactorsQuestion")}
            isDangerous
            mutation={removeFactors}
            input={undefined}
          />
          <ConfirmButton
            action={t(is_active ? "person.deactivate" : "person.activate")}
            label={t(is_active ? "person.deactivateOf" : "person.activateOf", { name: username })}
            question={t(is_active ? "person.deactivateQuestion" : "person.activateQuestion")}
            isDangerous={is_active}
            mutation={activate}
            input={!is_active}
          />
        </MoreActions>
      )}
    </Flex>
  );
}

interface PasswordOnceProps {
  issued: PersonPassword;
  onClose: () => void;
}

/** A new password, shown this once. */
function PasswordOnce({ issued: { username, password }, onClose }: PasswordOnceProps) {
  const { t } = useTranslation("people");
  return (
    <LaterPassword
      title={t("password.of", { name: username })}
      warning={t("password.once")}
      onClose={onClose}
    >
      <CodeBlock label={t("password.password")} text={password} />
      <p>{t("password.next")}</p>
    </LaterPassword>
  );
}

interface PersonNameProps {
  person: { username: string; display_name: string };
}

/** The display name of a person, above the user name. */
export function PersonName({ person: { username, display_name } }: PersonNameProps) {
  return (
    <>
      <strong>{display_name || username}</strong>
      <span className="second">{username}</span>
    </>
  );
}
