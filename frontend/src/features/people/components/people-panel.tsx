import { Button, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Person, PersonPassword } from "@/shared/api/types";
import { Panel } from "@/shared/ui/page";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { usePeople } from "../api/use-people";
import { PasswordOnce } from "./password-once";
import styles from "./people.module.css";
import { PeopleTable } from "./people-table";
import { AddPersonDialog, ChangePersonDialog } from "./person-dialog";

/** Everybody who has an account, for platform administrators. */
export function PeoplePanel() {
  const { t } = useTranslation("people");
  const [search, setSearch] = useState("");
  const [edited, setEdited] = useState<Person | "new" | null>(null);
  const [issued, setIssued] = useState<PersonPassword | null>(null);
  const close = () => setEdited(null);
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
        <Input.Search
          allowClear
          className={styles.search ?? ""}
          aria-label={t("person.search")}
          placeholder={t("person.search")}
          onSearch={(text) => setSearch(text.trim())}
        />
        <People search={search} onEdit={setEdited} onIssued={setIssued} />
      </div>
      {edited === "new" && <AddPersonDialog onAdded={setIssued} onClose={close} />}
      {edited && edited !== "new" && <ChangePersonDialog person={edited} onClose={close} />}
      {issued && <PasswordOnce issued={issued} onClose={() => setIssued(null)} />}
    </Panel>
  );
}

interface PeopleProps {
  search: string;
  onEdit: (person: Person) => void;
  onIssued: (issued: PersonPassword) => void;
}

function People({ search, onEdit, onIssued }: PeopleProps) {
  const { t } = useTranslation(["people", "ui"]);
  const { people, isPending, error, refetch, ...more } = usePeople(search);
  if (isPending) return <Loading rows={4} />;
  if (!people) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (people.length === 0) return <p className="quiet">{t("person.none")}</p>;
  return (
    <div>
      <PeopleTable people={people} onEdit={onEdit} onIssued={onIssued} />
      {more.hasNextPage && (
        <Button
          className={styles.more ?? ""}
          loading={more.isFetchingNextPage}
          onClick={() => void more.fetchNextPage()}
        >
          {t("ui:loadMore")}
        </Button>
      )}
    </div>
  );
}
