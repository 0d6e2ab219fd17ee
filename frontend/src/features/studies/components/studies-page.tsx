import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { useState } from "react";
import type { Study } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isOperator } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useRemoveStudy, useStudies } from "../api/studies";
import { StoryStart } from "./story";
import { PhaseTag, useStudyTitle } from "./study-words";

const LaterStudyDialog = later(async () => (await import("./study-dialog")).StudyDialog);

/** Studies, newest first: how past days would have gone under other conditions. */
export function StudiesPage() {
  const { t } = useTranslation("studies");
  const [isAsking, setAsking] = useState(false);
  const me = useMe();
  const isOfAll = isOperator(me);
  const ask = (isOfAll || isGroupAdmin(me)) && (
    <Button type="primary" onClick={() => setAsking(true)}>
      {t("ask")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("title")} about={t(isOfAll ? "about" : "aboutGroup")} actions={ask} />
      <div className="stack">
        {isOfAll && <StoryStart />}
        <StudyTable />
      </div>
      {isAsking && <LaterStudyDialog onClose={() => setAsking(false)} />}
    </>
  );
}

function StudyTable() {
  const { t } = useTranslation("studies");
  const studies = useStudies();
  const columns = useStudyColumns();
  return (
    <ListOfQuery
      id="studies"
      query={studies}
      label={t("title")}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState title={t("empty.title")} text={t("empty.text")} />}
    />
  );
}

function useStudyColumns(): ListColumn<Study>[] {
  const { t } = useTranslation("studies");
  const language = useLanguage();
  const titled = useStudyTitle();
  const remove = useRemoveStudy();
  return [
    {
      key: "title",
      title: t("column.question"),
      value: titled,
      cell: (study) => (
        <Link to="/what-if/$id" params={{ id: study.id }}>
          {titled(study)}
        </Link>
      ),
    },
    {
      key: "group",
      title: t("group"),
      value: ({ group }) => group && titleOf(group, language),
      cell: ({ group }) => (group ? titleOf(group, language) : t("everyGroup")),
    },
    {
      key: "days",
      title: t("column.days"),
      value: ({ scenario, days }) => (scenario ? null : days),
      cell: ({ scenario, days }) => (scenario ? "–" : t("lastDays", { count: days })),
    },
    {
      key: "by",
      title: t("column.by"),
      value: ({ asked_by }) => asked_by.display_name,
      cell: ({ asked_by }) => asked_by.display_name,
    },
    {
      key: "at",
      title: t("column.at"),
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Age at={created_at} />,
    },
    {
      key: "phase",
      title: t("column.phase"),
      value: ({ phase }) => phase,
      cell: (study) => <PhaseTag study={study} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (study) => (
        <RemoveButton
          label={t("removeOne", { title: titled(study) })}
          question={t("removeQuestion")}
          mutation={remove}
          id={study.id}
        />
      ),
    },
  ];
}
