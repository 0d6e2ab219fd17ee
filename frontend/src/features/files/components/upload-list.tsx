import { CloseOutlined, UploadOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button, Flex, Progress } from "antd";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { formatBytes, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { MenuButton } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { FILES } from "../api/files";
import {
  type ChosenFile,
  cancelUpload,
  chosenFiles,
  clearUploads,
  currentUploads,
  type FileUpload,
  onUploaded,
  repeatUpload,
  subscribeUploads,
} from "../api/uploads";
import styles from "./files.module.css";

/** Chooses files, or a folder with all in it. */
export function UploadButton({ onChosen }: { onChosen: (files: readonly ChosenFile[]) => void }) {
  const { t } = useTranslation("files");
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    onChosen(chosenFiles(input.files));
    input.value = "";
  };
  return (
    <>
      <MenuButton
        type="primary"
        icon={<UploadOutlined aria-hidden />}
        label={t("upload.action")}
        menu={{
          items: [
            { key: "files", label: t("upload.files"), onClick: () => files.current?.click() },
            { key: "folder", label: t("upload.folder"), onClick: () => folder.current?.click() },
          ],
        }}
      >
        {t("upload.action")}
      </MenuButton>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-testid="upload-files"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        data-testid="upload-folder"
        // React has no property of this name.
        {...{ webkitdirectory: "" }}
        onChange={(event) => take(event.currentTarget)}
      />
    </>
  );
}

const SHOWN = 8;
const REFRESH_MS = 1000;

/** What is being uploaded into a volume: how far, what failed, and how to go on. */
export function UploadList({ volume }: { volume: string }) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const all = useSyncExternalStore(subscribeUploads, currentUploads);
  useRefreshedFolder();
  useLeaveWarning(all.some(({ state }) => state !== "done" && state !== "taken"));
  const uploads = all.filter((each) => each.volume === volume);
  if (uploads.length === 0) return null;
  const done = uploads.filter(({ state }) => state === "done").length;
  const open = uploads.filter(({ state }) => state !== "done").sort(byUrgency);
  const isOver = open.every(({ state }) => state === "taken");
  const title = t("upload.progress", {
    done: formatNumber(done, language),
    count: uploads.length,
    all: formatNumber(uploads.length, language),
  });
  return (
    <Panel
      title={title}
      testId="uploads"
      extra={
        isOver && (
          <Button size="small" onClick={clearUploads}>
            {t("upload.clear")}
          </Button>
        )
      }
    >
      {open.length > 0 && (
        <ul className={styles.uploads}>
          {open.slice(0, SHOWN).map((each) => (
            <UploadRow key={each.id} upload={each} />
          ))}
        </ul>
      )}
      {open.length > SHOWN && (
        <p className="second">{t("upload.more", { count: open.length - SHOWN })}</p>
      )}
    </Panel>
  );
}

const ORDER = { failed: 0, taken: 1, retrying: 2, running: 3, waiting: 4, done: 5 } as const;

function byUrgency(one: FileUpload, other: FileUpload): number {
  return ORDER[one.state] - ORDER[other.state] || one.id - other.id;
}

function UploadRow({ upload }: { upload: FileUpload }) {
  const { t } = useTranslation("files");
  const { id, path, state, problem } = upload;
  const isRefused = state === "failed" || state === "taken";
  return (
    <li>
      <Flex gap={8} align="center" wrap>
        <span className={styles.path}>{path}</span>
        {isRefused && (
          <Button size="small" onClick={() => repeatUpload(id)}>
            {t(state === "taken" ? "upload.replace" : "upload.repeat")}
          </Button>
        )}
        <Button
          size="small"
          type="text"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t(state === "taken" ? "upload.skipOf" : "upload.cancelOf", { path })}
          onClick={() => cancelUpload(id)}
        />
      </Flex>
      {isRefused ? (
        <p role="alert" className={styles.refused}>
          {problem?.detail || t("upload.failed")}
        </p>
      ) : (
        <UploadProgress upload={upload} />
      )}
    </li>
  );
}

function UploadProgress({ upload: { path, size, sent, state } }: { upload: FileUpload }) {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const words = {
    retrying: t("upload.retrying"),
    waiting: t("upload.waiting"),
  } as const;
  const amount = t("upload.sent", {
    sent: formatBytes(sent, language),
    size: formatBytes(size, language),
  });
  return (
    <>
      <Progress
        percent={size ? Math.floor((100 * sent) / size) : 0}
        size="small"
        aria-label={path}
        showInfo={false}
      />
      <span className="second num">
        {state === "retrying" || state === "waiting" ? words[state] : amount}
      </span>
    </>
  );
}

/** Shows files as they arrive, not each at once when there are thousands. */
function useRefreshedFolder(): void {
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onUploaded((volume) => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: [...FILES, volume] });
      }, REFRESH_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [client]);
}

/** The browser asks before the page is closed while something is under way. */
function useLeaveWarning(isUnderWay: boolean): void {
  useEffect(() => {
    if (!isUnderWay) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    globalThis.addEventListener("beforeunload", ask);
    return () => globalThis.removeEventListener("beforeunload", ask);
  }, [isUnderWay]);
}
