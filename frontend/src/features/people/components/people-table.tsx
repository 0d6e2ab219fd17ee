import { Button, Flex, Tag } from "antd";
import { useTranslation } from "react-i18next";
import type { Person, PersonPassword } from "@/shared/api/types";
import { useCodedText } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Age } from "@/shared/ui/time";
import { useChangePerson, useRenewPassword } from "../api/use-people";
import { PersonName } from "./person-name";

interface PeopleTableProps {
  people: readonly Person[];
  onEdit: (person: Person) => void;
  onIssued: (issued: PersonPassword) => void;
}

export function PeopleTable({ people, onEdit, onIssued }: PeopleTableProps) {
  const { t } = useTranslation("people");
  const coded = useCodedText();
  const columns: Column<Person>[] = [
    { key: "name", title: t("column.name"), cell: (person) => <PersonName person={person} /> },
    {
      key: "state",
      title: t("column.state"),
      cell: ({ is_active }) =>
        is_active ? t("person.active") : <Tag color="warning">{t("person.inactive")}</Tag>,
    },
    {
      key: "platform",
      title: t("column.platformRole"),
      cell: ({ platform_role: role }) =>
        role ? (coded(`people:platformRole.${role}`) ?? role) : "–",
    },
    { key: "groups", title: t("groups"), cell: (person) => <Memberships person={person} /> },
    {
      key: "seen",
      title: t("column.seen"),
      cell: ({ last_login }) => (last_login ? <Age at={last_login} /> : t("person.never")),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (person) => (
        <Actions person={person} onEdit={() => onEdit(person)} onIssued={onIssued} />
      ),
    },
  ];
  return <DataTable label={t("people")} columns={columns} rows={people} rowKey={({ id }) => id} />;
}

function Memberships({ person: { memberships } }: { person: Person }) {
  const coded = useCodedText();
  if (memberships.length === 0) return "–";
  return (
    <Flex wrap gap={4}>
      {memberships.map(({ group, role }) => (
        <Tag key={group.id}>
          {group.title} · {coded(`people:role.${role}`) ?? role}
        </Tag>
      ))}
    </Flex>
  );
}

interface ActionsProps {
  person: Person;
  onEdit: () => void;
  onIssued: (issued: PersonPassword) => void;
}

/** My own account keeps me signed in: my password is changed in the account menu. */
function Actions({ person: { id, username, is_active }, onEdit, onIssued }: ActionsProps) {
  const { t } = useTranslation("people");
  const me = useMe();
  const change = useChangePerson(id);
  const renew = useRenewPassword(id, onIssued);
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("person.editOf", { name: username })} onClick={onEdit}>
        {t("edit")}
      </Button>
      {id !== me.id && (
        <>
          <ConfirmButton
            action={t("person.renew")}
            label={t("person.renewOf", { name: username })}
            question={t("person.renewQuestion")}
            asked={renew}
            input={undefined}
          />
          <ConfirmButton
            action={t(is_active ? "person.deactivate" : "person.activate")}
            label={t(is_active ? "person.deactivateOf" : "person.activateOf", { name: username })}
            question={t(is_active ? "person.deactivateQuestion" : "person.activateQuestion")}
            isDangerous={is_active}
            asked={change}
            input={{ is_active: !is_active }}
          />
        </>
      )}
    </Flex>
  );
}
