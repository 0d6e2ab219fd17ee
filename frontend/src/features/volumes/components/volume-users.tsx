import { Modal } from "antd";
import type { Volume } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { QueryBoundary } from "@/shared/ui/query-states";
import { WorkloadLink } from "@/shared/workload/components/workload-link";
import { useVolumeUsers } from "../api/volumes";

/** The notebooks, jobs and apps that mount a volume; work that I may not see is counted only. */
export function VolumeUsers({ volume, onClose }: { volume: Volume; onClose: () => void }) {
  const { t } = useTranslation("volumes");
  const users = useVolumeUsers(volume.id);
  return (
    <Modal open title={t("usersTitle", { name: volume.name })} footer={null} onCancel={onClose}>
      <QueryBoundary query={users} rows={3}>
        {(found) => (
          <ul>
            {found.map(({ owner, ...work }) => (
              <li key={work.id}>
                <WorkloadLink workload={work} />{" "}
                <span className="second">{owner.display_name || owner.username}</span>
              </li>
            ))}
            {volume.uses > found.length && (
              <li className="second">{t("otherUsers", { count: volume.uses - found.length })}</li>
            )}
          </ul>
        )}
      </QueryBoundary>
    </Modal>
  );
}
