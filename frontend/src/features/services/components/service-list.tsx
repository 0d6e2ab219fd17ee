import { Link } from "@tanstack/react-router";
import { Flex } from "antd";
import type { ReactNode } from "react";
import type { Service } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { CopyButton } from "@/shared/ui/code-block";
import { SearchField, Segments, Tick } from "@/shared/ui/controls";
import styles from "@/shared/workload/components/workload.module.css";
import { useServiceOrigin } from "../api/endpoint";
import { useServices } from "../api/services";
import { addressOf, replicaRange, SERVICE_STATES, type ServiceSearch } from "../model/service";
import { ServiceActions } from "./service-actions";
import { ServiceStatusTag, usePromiseWords, useStatusReason } from "./service-marks";

interface ServiceListProps {
  search: ServiceSearch;
  group: string | null;
  onSearch: (search: ServiceSearch) => void;
  empty: ReactNode;
}

/** The services of my groups, with what is done to one of them. */
export function ServiceList({ search, group, onSearch, empty }: ServiceListProps) {
  const { t } = useTranslation("services");
  const { state, mine, q } = search;
  const services = useServices({
    ...(state && { state }),
    ...(mine && { mine }),
    ...(q && { search: q }),
    ...(group && { group }),
  });
  return (
    <>
      <ServiceFilters search={search} onSearch={onSearch} />
      <ListOfQuery
        id="services"
        query={services}
        label={t("title")}
        columns={useServiceColumns()}
        rowKey={({ id }) => id}
        onMore={moreOf(services)}
        isLoadingMore={services.isFetchingNextPage}
        empty={empty}
      />
    </>
  );
}

const SHOWN = ["all", ...SERVICE_STATES] as const;

function ServiceFilters({ search, onSearch }: Pick<ServiceListProps, "search" | "onSearch">) {
  const { t } = useTranslation("services");
  return (
    <search className={styles.filters}>
      <Segments
        label={t("filter.state")}
        value={search.state ?? "all"}
        onChoose={(state) => onSearch({ ...search, state: state === "all" ? undefined : state })}
        options={SHOWN.map((value) => ({ value, label: t(`filter.${value}`) }))}
      />
      <Tick
        isOn={search.mine ?? false}
        onChange={(isOn) => onSearch({ ...search, mine: isOn || undefined })}
      >
        {t("filter.mine")}
      </Tick>
      <SearchField
        label={t("filter.search")}
        value={search.q ?? ""}
        onSearch={(q) => onSearch({ ...search, q: q || undefined })}
      />
    </search>
  );
}

function useServiceColumns(): ListColumn<Service>[] {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const promise = usePromiseWords();
  const origin = useServiceOrigin();
  const groupOf = ({ group }: Service) => titleOf(group, language);
  return [
    {
      key: "name",
      title: t("column.name"),
      value: ({ name }) => name,
      cell: ({ id, name, owner }) => (
        <>
          <Link to="/services/$id" params={{ id }} className={styles.workloadLink}>
            {name}
          </Link>
          <p className="second note">{owner.display_name || owner.username}</p>
        </>
      ),
    },
    {
      key: "status",
      title: t("column.status"),
      value: ({ status }) => t(`status.${status}`),
      cell: (service) => <StatusCell service={service} />,
    },
    {
      key: "replicas",
      title: t("column.replicas"),
      value: ({ replicas }) => replicas.ready,
      cell: ({ replicas }) => <ReplicaCounts replicas={replicas} />,
    },
    { key: "group", title: t("column.group"), value: groupOf, cell: groupOf },
    {
      key: "quality",
      title: t("column.quality"),
      value: ({ quality }) => t(`quality.${quality}`),
      cell: (service) => (
        <>
          {t(`quality.${service.quality}`)}
          <p className="second note">{promise(service)}</p>
        </>
      ),
    },
    {
      key: "revision",
      title: t("column.revision"),
      isShort: true,
      value: ({ revision }) => revision,
      cell: ({ revision, canary }) => (
        <>
          <span className="num">{revision}</span>
          {canary && <p className="second note">{t("canaryOf", { ...canary })}</p>}
        </>
      ),
    },
    {
      key: "address",
      title: t("column.address"),
      value: (service) => addressOf(service, origin),
      cell: (service) => <AddressCell address={addressOf(service, origin)} path={service.path} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (service) => <ServiceActions service={service} />,
    },
  ];
}

function StatusCell({ service }: { service: Service }) {
  const reason = useStatusReason()(service);
  return (
    <>
      <ServiceStatusTag status={service.status} />
      {reason && <p className="second note">{reason}</p>}
    </>
  );
}

/** How many answer, of how many that are wanted; and between what that number may be. */
function ReplicaCounts({ replicas }: { replicas: Service["replicas"] }) {
  const { t } = useTranslation("services");
  return (
    <>
      <span className="num">{t("replicasOf", { ...replicas })}</span>
      <p className="second note num">{t("replicasMay", { bounds: replicaRange(replicas) })}</p>
    </>
  );
}

/** Its path, which tells it from others; what is copied is the whole address. */
function AddressCell({ address, path }: { address: string; path: string }) {
  const { t } = useTranslation("services");
  return (
    <Flex component="span" align="center" gap={4} style={{ display: "inline-flex" }}>
      <code className="mono" title={address}>
        {path}
      </code>
      <CopyButton text={address} what={t("column.address")} />
    </Flex>
  );
}
