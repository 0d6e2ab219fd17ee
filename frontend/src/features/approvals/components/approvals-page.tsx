import { Button, Flex, Tag } from "antd";
import { useState } from "react";
import type { Approval } from "@/shared/api/types";
import {
  type ApprovalFilters,
  loadAllApprovals,
  useApprovalCounts,
  useApprovals,
  useWithdraw,
  type Verb,
} from "@/shared/approvals/api/approvals";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isGroupAdmin, isPlatformAdmin, isStaff } from "@/shared/session/roles";
import { NativeSelect, Segments } from "@/shared/ui/controls";
import { later } from "@/shared/ui/opening";
import { PageHeader } from "@/shared/ui/page";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { KINDS, readRequestSearch, SIDES, type Side, STATES } from "../model/requests";
import { RequestWords } from "./request-words";

const LaterDecisionDialog = later(async () => (await import("./decision-dialog")).DecisionDialog);

/** Requests for more than a limit allows: those to decide on, and one's own. */
export function ApprovalsPage() {
  const { t } = useTranslation("approvals");
  const waiting = useApprovalCounts().data;
  const { search, change } = useAddress();
  const { side: chosen, kind, state } = readRequestSearch(search);
  const me = useMe();
  const decides = isPlatformAdmin(me) || isGroupAdmin(me);
  const seesOthers = decides || isStaff(me);
  const side = chosen ?? (decides ? "to_decide" : seesOthers ? "all" : "mine");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} />
      <Flex gap={12} wrap style={{ marginBlockEnd: 16 }}>
        {seesOthers && (
          <Segments<Side>
            label={t("side.label")}
            value={side}
            onChoose={(chosen) => change({ side: chosen })}
            options={SIDES.map((value) => ({
              value,
              label:
                value === "to_decide"
                  ? t("side.to_decide", { count: waiting?.to_decide ?? 0 })
                  : t(`side.${value}`),
            }))}
          />
        )}
        <Filter
          label={t("filter.kind")}
          value={kind}
          options={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          onChange={(value) => change({ kind: value })}
        />
        {side !== "to_decide" && (
          <Filter
            label={t("filter.state")}
            value={state}
            options={STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
            onChange={(value) => change({ state: value })}
          />
        )}
      </Flex>
      <RequestTable
        filters={{
          side: side === "all" ? undefined : side,
          kind,
          state: side === "to_decide" ? undefined : state,
        }}
      />
    </>
  );
}

interface FilterProps<Value extends string> {
  label: string;
  value: Value | undefined;
  options: { value: Value; label: string }[];
  onChange: (value: Value | undefined) => void;
}

/** One of some words, or any: then it shows what it is about. */
function Filter<Value extends string>({ label, value, options, onChange }: FilterProps<Value>) {
  return (
    <NativeSelect<Value | "">
      label={label}
      value={value ?? ""}
      options={[{ value: "", label }, ...options]}
      onChoose={(chosen) => onChange(chosen || undefined)}
    />
  );
}

function RequestTable({ filters }: { filters: ApprovalFilters }) {
  const { t } = useTranslation("approvals");
  const query = useApprovals(filters);
  const [deciding, setDeciding] = useState<{ request: Approval; verb: Verb } | null>(null);
  const columns = useRequestColumns((request, verb) => setDeciding({ request, verb }));
  return (
    <>
      <ListOfQuery
        id="requests"
        label={t("title")}
        serverSorts={[]}
        loadAll={() => loadAllApprovals(filters)}
        onMore={moreOf(query)}
        isLoadingMore={query.isFetchingNextPage}
        moreLabel={t("more")}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            title={t(filters.side === "to_decide" ? "empty.nothing" : "empty.title")}
            text={t(filters.side === "to_decide" ? "empty.others" : "empty.text")}
          />
        }
      />
      {deciding && <LaterDecisionDialog {...deciding} onClose={() => setDeciding(null)} />}
    </>
  );
}

function useRequestColumns(
  onDecide: (request: Approval, verb: Verb) => void,
): ListColumn<Approval>[] {
  const language = useLanguage();
  const { t } = useTranslation("approvals");
  return [
    {
      key: "what",
      title: t("column.what"),
      value: ({ kind, workload, group }) =>
        `${t(`kind.${kind}`)}: ${workload?.name ?? titleOf(group, language)}`,
      cell: (row) => <RequestWords request={row} />,
    },
    {
      key: "who",
      title: t("column.who"),
      value: ({ requester }) => requester.username,
      cell: ({ requester, group }) => (
        <>
          {requester.display_name || requester.username}
          <span className="second">{titleOf(group, language)}</span>
        </>
      ),
    },
    {
      key: "when",
      title: t("column.when"),
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Age at={created_at} />,
    },
    {
      key: "state",
      title: t("column.state"),
      value: ({ state, deciders, decision_comment }) =>
        [t(`state.${state}`), namesOf(deciders), decision_comment].filter(Boolean).join(": "),
      cell: (row) => <RequestState request={row} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (row) => <RequestActions request={row} onDecide={(verb) => onDecide(row, verb)} />,
    },
  ];
}

const COLORS: Record<Approval["state"], string> = {
  pending: "processing",
  approved: "success",
  declined: "error",
  withdrawn: "default",
  expired: "default",
};

function RequestState({ request }: { request: Approval }) {
  const { t } = useTranslation("approvals");
  const { state, decider, deciders, decided_by, decision_comment } = request;
  const by =
    decided_by && state !== "withdrawn" && (decided_by.display_name || decided_by.username);
  return (
    <>
      <Tag color={COLORS[state]}>{t(`state.${state}`)}</Tag>
      {state === "pending" && <span className="second">{t(`decider.${decider}`)}</span>}
      {deciders.length > 0 && <span className="second">{namesOf(deciders)}</span>}
      {by && <span className="second">{t("decidedBy", { name: by })}</span>}
      {decision_comment && <span className="second">“{decision_comment}”</span>}
    </>
  );
}

const NAMES_MAX = 3;

/** The first of who may decide, and how many there are beside. */
function namesOf(people: Approval["deciders"]): string {
  const names = people
    .slice(0, NAMES_MAX)
    .map(({ display_name, username }) => display_name || username);
  const others = people.length - names.length;
  return names.join(", ") + (others > 0 ? ` +${others}` : "");
}

interface RequestActionsProps {
  request: Approval;
  onDecide: (verb: Verb) => void;
}

function RequestActions({ request, onDecide }: RequestActionsProps) {
  const { t } = useTranslation("approvals");
  const showProblem = useProblemMessage();
  const withdraw = useWithdraw();
  return (
    <Flex gap={8} wrap>
      {request.may_decide && (
        <>
          <Button size="small" type="primary" onClick={() => onDecide("approve")}>
            {t("approve")}
          </Button>
          <Button size="small" onClick={() => onDecide("decline")}>
            {t("decline")}
          </Button>
        </>
      )}
      {request.may_withdraw && (
        <Button
          size="small"
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate(request.id, { onError: showProblem })}
        >
          {t("withdraw")}
        </Button>
      )}
    </Flex>
  );
}
