/** What is done to entries of a folder: many at once, and deleting with a way back. */
import { useState } from "react";
import { ProblemError, readProblem } from "@/shared/api/problem";
import type { FileEntry, Volume } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import type { Bulk } from "@/shared/lists/components/bulk-bar";
import { usePlaceOf } from "@/shared/session/me";
import { useMessages } from "@/shared/ui/messages";
import { later } from "@/shared/ui/opening";
import { useProblemMessage } from "@/shared/ui/query-states";
import {
  archiveAddress,
  downloadEntries,
  useMoveFiles,
  useRestoreFiles,
  useTrashFiles,
} from "../api/files";
import { isOpened, joined, nameOf, PAGE_SIZE, shownPath } from "../model/paths";

const LaterFolderField = later(async () => (await import("./folder-tree")).FolderField);

interface ManyFiles {
  volume: Volume;
  folder: string;
  snapshot: string | undefined;
  mayWrite: boolean;
}

/** What can be done with many entries of a folder at once. */
export function useFileBulk({ volume, folder, snapshot, mayWrite }: ManyFiles): Bulk<FileEntry> {
  const { t } = useTranslation("files");
  const messages = useMessages();
  const place = usePlaceOf()(volume.mount_path);
  const move = useMoveFiles(volume.id);
  const remove = useRemoveWithUndo(volume.id);
  const [target, setTarget] = useState(folder);
  const pathsOf = (rows: readonly FileEntry[]) => rows.map(({ name }) => joined(folder, name));
  const copy = async (rows: readonly FileEntry[]) => {
    await navigator.clipboard.writeText(
      pathsOf(rows)
        .map((path) => `${place}/${path}`)
        .join("\n"),
    );
    messages.success(t("many.copied", { count: rows.length }));
  };
  const changes = mayWrite ? ["move", "delete"] : [];
  return {
    nameOf: ({ name }) => shownPath(name),
    allowed: (entry) => ["copy", ...(isOpened(entry) ? ["download"] : []), ...changes],
    rowsMax: PAGE_SIZE,
    actions: [
      {
        key: "download",
        label: t("downloadZip"),
        act: (rows) =>
          downloadEntries(
            archiveAddress(volume.id, folder, snapshot),
            rows.map(({ name }) => name),
          ),
      },
      { key: "copy", label: t("many.copy"), act: (rows) => void copy(rows) },
      {
        key: "move",
        label: t("move.action"),
        about: <LaterFolderField volume={volume} value={target} onChange={setTarget} />,
        isReady: target !== folder,
        runAll: async (rows) =>
          refusalsOf(await move.mutateAsync({ paths: pathsOf(rows), folder: target })),
      },
      {
        key: "delete",
        label: t("delete"),
        about: t("deletedAbout"),
        isDangerous: true,
        runAll: (rows) => remove(pathsOf(rows)),
      },
    ],
    onDone: () => {},
  };
}

/**
 * Deletes, and offers to take it back: what is deleted stays in the trash for days. Answers for each
 * path with null, or why it was refused.
 *
 * The row that asked may be gone before the answer is here, so that the callbacks of `mutate`,
 * which end with their component, would never offer it.
 */
export function useRemoveWithUndo(
  volume: string,
): (paths: string[]) => Promise<(ProblemError | null)[]> {
  const { t } = useTranslation("files");
  const messages = useMessages();
  const showProblem = useProblemMessage();
  const trash = useTrashFiles(volume);
  const restore = useRestoreFiles(volume);
  return async (paths) => {
    const fates = await trash.mutateAsync(paths);
    const trashed = fates.flatMap(({ id, path }) => (id ? [{ id, path }] : []));
    const [first] = trashed;
    if (first) {
      const isOne = trashed.length === 1;
      messages.success(
        isOne
          ? t("deleted", { name: shownPath(nameOf(first.path)) })
          : t("deletedMany", { count: trashed.length }),
        {
          about: t("deletedAbout"),
          label: t("undo"),
          act: () => void restore.mutateAsync(trashed.map(({ id }) => id)).catch(showProblem),
        },
      );
    }
    return refusalsOf(fates);
  };
}

function refusalsOf(fates: readonly { refusal: object | null }[]): (ProblemError | null)[] {
  return fates.map(({ refusal }) =>
    refusal ? new ProblemError(readProblem(409, refusal, "")) : null,
  );
}
