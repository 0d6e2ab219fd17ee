import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import type { Volume } from "@/shared/api/types";
import { aHome } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import type { FileSearch } from "../model/paths";
import { FilesPage } from "./files-page";

const HOME = aHome();
const FOLDER = { path: "", total: 1, is_cut: false, may_write: true, unreadable_names: 0 };
const RUN = {
  name: "run",
  kind: "folder",
  size: 0,
  modified_at: "2026-11-23T06:00:00Z",
  has_content: false,
};

function Page() {
  const [search, setSearch] = useState<FileSearch>({});
  return <FilesPage search={search} onSearch={setSearch} apps={() => null} />;
}

it("opens a folder of a home that its own first visit has made", async () => {
  serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": { ...FOLDER, entries: [RUN] },
  });
  renderPart(<Page />);
  await userEvent.click(await screen.findByRole("button", { name: "run" }));
  expect(await screen.findByRole("button", { name: "run" })).toBeTruthy();
  expect(screen.queryByText("There is no such volume, or you may not read its files")).toBeNull();
});

const SSH = { portal_url: "https://portal.example", ssh_port: 8022 };

function serveHome(access: Volume["access"], config: object) {
  serve({
    "GET /api/v1/config": config,
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": { ...HOME, access },
    "GET /api/v1/volumes/home-1/files": { ...FOLDER, entries: [RUN] },
  });
}

it("shows what to type for sftp and scp to come to the folder that is shown", async () => {
  serveHome("write", SSH);
  renderPart(<Page />);
  await userEvent.click(await screen.findByRole("button", { name: "run" }));
  await userEvent.click(await screen.findByRole("button", { name: "SFTP" }));
  expect(await screen.findByText("sftp -P 8022 files@portal.example:/home/run")).toBeTruthy();
  screen.getByText("scp -P 8022 -r FOLDER files@portal.example:/home/run");
  screen.getByText("scp -P 8022 -r files@portal.example:/home/run .");
});

it("shows readers no line that uploads, in Chinese too", async () => {
  await speak("zh-CN");
  serveHome("read", SSH);
  renderPart(<Page />);
  await userEvent.click(await screen.findByRole("button", { name: "SFTP" }));
  expect(await screen.findByText("下载此文件夹")).toBeTruthy();
  expect(screen.queryByText("上传一个文件夹")).toBeNull();
});

it("names no SFTP where the portal has no SSH port", async () => {
  serveHome("write", { ...SSH, ssh_port: null });
  renderPart(<Page />);
  await screen.findByRole("button", { name: "run" });
  expect(screen.queryByRole("button", { name: "SFTP" })).toBeNull();
});

it("shows a snapshot, in which nothing is changed, and puts a folder of it back", async () => {
  const RESTORE = "POST /api/v1/volumes/home-1/snapshots/restore";
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": { ...FOLDER, entries: [RUN] },
    "GET /api/v1/volumes/home-1/snapshots": [{ name: "daily-2" }, { name: "daily-1" }],
    [RESTORE]: { path: "run (2)" },
  });
  renderPart(<Page />);
  await screen.findByRole("button", { name: "New folder" });
  const snapshots = await screen.findByRole("combobox", { name: "Snapshot" });
  await userEvent.selectOptions(snapshots, "daily-1");
  await screen.findByText(/this is the snapshot daily-1/);
  expect(screen.queryByRole("button", { name: "New folder" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Trash" })).toBeNull();
  const folders = asked.filter(({ route }) => route === "GET /api/v1/volumes/home-1/files");
  expect(folders.at(-1)?.url).toContain("snapshot=daily-1");

  await userEvent.click(screen.getByRole("button", { name: "Actions for run" }));
  expect((await screen.findByRole("link", { name: "Download as zip" })).getAttribute("href")).toBe(
    "/api/v1/volumes/home-1/archive?path=run&snapshot=daily-1",
  );
  await userEvent.click(await screen.findByText("Restore"));
  await screen.findByText("Restored as run (2).");
  expect(asked.find(({ route }) => route === RESTORE)?.body).toEqual({
    snapshot: "daily-1",
    path: "run",
  });
});

it("offers to take a deletion back though its row is gone before the rest is up to date", async () => {
  const isTrashed = () => asked.some(({ route }) => route.endsWith("/trash"));
  let goOn = () => {};
  const slow = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const RESTORE = "POST /api/v1/volumes/home-1/files/restore";
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": () => ({ ...FOLDER, entries: isTrashed() ? [] : [RUN] }),
    "GET /api/v1/volumes/home-1/snapshots": () =>
      isTrashed() ? slow.then(() => [{ name: "daily-1" }]) : [{ name: "daily-1" }],
    "POST /api/v1/volumes/home-1/files/trash": [{ path: "run", id: "gone-1", refusal: null }],
    [RESTORE]: [],
  });
  renderPart(<Page />);
  await screen.findByRole("combobox", { name: "Snapshot" });
  await userEvent.click(await screen.findByRole("button", { name: "Actions for run" }));
  await userEvent.click(await screen.findByText("Delete"));
  await screen.findByText(/This folder is empty/);
  goOn();
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(asked.find(({ route }) => route === RESTORE)?.body).toEqual({ ids: ["gone-1"] });
});

it("reads a name that is not UTF-8 as GBK, and offers that as its new name", async () => {
  const MOVE = "POST /api/v1/volumes/home-1/files/move";
  const raw = "\uf7d6\uf7d0.txt";
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": {
      ...FOLDER,
      entries: [{ ...RUN, name: raw, kind: "file", has_content: true }],
      unreadable_names: 1,
    },
    [MOVE]: () => new Response(null, { status: 204 }),
  });
  renderPart(<Page />);
  await screen.findByText("The name of 1 entry is not UTF-8");
  screen.getByText("convmv -r -f gbk -t utf8 --notest .");
  screen.getByRole("button", { name: "中.txt" });
  await userEvent.click(screen.getByRole("button", { name: "Actions for 中.txt" }));
  await userEvent.click(await screen.findByText("Rename"));
  await userEvent.click(await screen.findByRole("button", { name: "Rename" }));
  expect(asked.find(({ route }) => route === MOVE)?.body).toEqual({ path: raw, to: "中.txt" });
});

it("opens a link to a file of the volume as that file, and no other link", async () => {
  const LINK = { ...RUN, name: "model.txt", kind: "link", size: 7, has_content: true };
  serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": {
      ...FOLDER,
      total: 2,
      entries: [LINK, { ...LINK, name: "out", size: 0, has_content: false }],
    },
    "GET /api/v1/volumes/home-1/content": "weights",
  });
  renderPart(<Page />);
  await userEvent.click(await screen.findByRole("button", { name: "model.txt" }));
  expect(await screen.findByText(/weights/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "out" })).toBeNull();
});

it.each([
  [HOME, "Copied. Only you can open the link: nobody else sees your home."],
  [{ ...HOME, kind: "group" }, "Copied. Everyone who may read this volume can open the link."],
])("says of a copied link who can open it", async (volume, said) => {
  const user = userEvent.setup();
  serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": volume,
    "GET /api/v1/volumes/home-1/files": { ...FOLDER, entries: [RUN] },
  });
  renderPart(<Page />);
  await user.click(await screen.findByRole("button", { name: "Actions for run" }));
  await user.click(await screen.findByText("Copy link"));
  expect(await screen.findByText(said)).toBeTruthy();
});

it("renders Markdown with its links and images of the volume, or shows its source", async () => {
  const README = { ...RUN, name: "README.md", kind: "file", size: 60, has_content: true };
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": { ...FOLDER, entries: [README] },
    "GET /api/v1/volumes/home-1/content": () =>
      new Response("# Runs\n[notes](docs/notes.md) ![gone](plots/a.png) ![far](http://a/b.png)"),
  });
  renderPart(<Page />);
  await userEvent.click(await screen.findByRole("button", { name: "README.md" }));
  expect(await screen.findByRole("heading", { level: 2, name: "Runs" })).toBeTruthy();
  const href = screen.getByRole("link", { name: "notes" }).getAttribute("href") ?? "";
  expect(new URLSearchParams(href.split("?")[1]).toString()).toBe(
    "volume=home-1&path=docs&file=notes.md",
  );
  const contents = () => asked.filter(({ route }) => route.endsWith("/content"));
  expect(contents().map(({ url }) => new URL(url).searchParams.get("path"))).toEqual([
    "README.md",
    "plots/a.png",
  ]);
  await userEvent.click(screen.getByRole("radio", { name: "Source" }));
  expect(screen.getByText(/# Runs/)).toBeTruthy();
});

it("lists hidden entries only when asked for, and sorts by the heads of its columns", async () => {
  const entries = [{ ...RUN, name: ".cache" }, RUN];
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": HOME,
    "GET /api/v1/volumes/home-1/files": { ...FOLDER, total: 2, entries },
  });
  renderPart(<Page />);
  await screen.findByRole("button", { name: "run" });
  expect(screen.queryByRole("button", { name: ".cache" })).toBeNull();
  expect(screen.getByText("1 hidden entry is not listed.")).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "Hidden files" }));
  expect(screen.getByRole("button", { name: ".cache" })).toBeTruthy();

  await userEvent.click(screen.getByRole("button", { name: /^Size/ }));
  await waitFor(() => expect(asked.at(-1)?.url).toContain("sort=size"));
});
