import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useImages } from "@/shared/cluster/api/use-images";
import { usePools } from "@/shared/cluster/api/use-pools";
import { submittableGroups, useMe } from "@/shared/session/me";
import { useChosenGroup } from "@/shared/session/search-params";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { type Choices, imagesFor, isFilled, type Kind, poolsFor } from "../model/choices";

interface SubmissionGateProps {
  kind: Kind;
  children: (choices: Choices) => ReactNode;
}

/** Shows a form once there is something to choose, else says what is missing. */
export function SubmissionGate({ kind, children }: SubmissionGateProps) {
  const { t } = useTranslation("submission");
  const groups = submittableGroups(useMe());
  const chosen = useChosenGroup();
  const pools = usePools();
  const images = useImages();
  if (!isFilled(groups)) return <EmptyState title={t("noGroup.title")} text={t("noGroup.text")} />;
  if (pools.isPending || images.isPending) return <Loading rows={8} />;
  if (!pools.data || !images.data) {
    return <ProblemAlert error={pools.error ?? images.error} />;
  }
  const open = poolsFor(kind, pools.data);
  if (!isFilled(open)) return <EmptyState title={t("noPool.title")} text={t("noPool.text")} />;
  const { name } = groups.find(({ id }) => id === chosen) ?? groups[0];
  return children({ groups, pools: open, images: imagesFor(kind, images.data), group: name });
}
