import { createFileRoute, Link } from "@tanstack/react-router";
import { ServiceList } from "@/features/services/components/service-list";
import { readServiceSearch, type ServiceSearch } from "@/features/services/model/service";
import { useTranslation } from "@/shared/i18n/language";
import { useCanSubmit, useChosenGroup } from "@/shared/session/me";
import { LinkButton, PageHeader } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";

export const Route = createFileRoute("/_shell/services/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as ServiceSearch,
  component: ServicesPage,
});

function ServicesPage() {
  const { t } = useTranslation("services");
  const group = useChosenGroup();
  const search = readServiceSearch({ ...Route.useSearch() });
  const navigate = Route.useNavigate();
  const isFiltered = Object.keys(search).length > 0;
  const create = useCanSubmit() && <LinkButton to="/services/new">{t("create")}</LinkButton>;
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={create} />
      <ServiceList
        search={search}
        group={group}
        onSearch={(next) => void navigate({ search: (old) => ({ ...old, ...next }) })}
        empty={
          isFiltered ? (
            <EmptyState
              title={t("emptyFiltered.title")}
              text={t("emptyFiltered.text")}
              action={<Link to="/services">{t("emptyFiltered.clear")}</Link>}
            />
          ) : (
            <EmptyState title={t("empty.title")} text={t("empty.text")} action={create} />
          )
        }
      />
    </>
  );
}
