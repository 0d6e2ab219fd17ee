import { createFileRoute } from "@tanstack/react-router";
import { StartAppButtons } from "@/features/apps/components/app-buttons";
import { PublishButton } from "@/features/datasets/components/publish-button";
import { FilesPage } from "@/features/files/components/files-page";
import { type FileSearch, readFileSearch } from "@/features/files/model/paths";
import type { Volume } from "@/shared/api/types";
import { submittableGroups, useChosenGroup, useMe } from "@/shared/session/me";

export const Route = createFileRoute("/_shell/files")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as FileSearch,
  component: FilesRoute,
});

function FilesRoute() {
  const search = readFileSearch({ ...Route.useSearch() });
  const navigate = Route.useNavigate();
  return (
    <FilesPage
      search={search}
      onSearch={(next) => void navigate({ search: next })}
      apps={(volume, path) => (
        <>
          <FolderApps volume={volume} path={path} />
          {volume.location === "shared" && (
            <PublishButton
              folder={{ volume: volume.id, path }}
              title={path || volume.folder_name}
            />
          )}
        </>
      )}
    />
  );
}

/** Web apps on a folder, as work of its group, else of the chosen or the first one of mine. */
function FolderApps({ volume, path }: { volume: Volume; path: string }) {
  const groups = submittableGroups(useMe());
  const wanted = [volume.group?.id, useChosenGroup()];
  const group =
    wanted.map((id) => groups.find((each) => each.id === id)).find(Boolean) ?? groups[0];
  if (!group) return null;
  const of = volume.kind === "home" ? { home: true } : { volume: volume.id };
  return <StartAppButtons of={{ ...of, group: group.id, path }} />;
}
