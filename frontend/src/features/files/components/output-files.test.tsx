import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import type { FileEntry } from "@/shared/api/types";
import { type Asked, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import type { OutputSearch } from "../model/paths";
import { OutputFiles } from "./output-files";

const LIST = "GET /api/v1/jobs/job-1/outputs";
const AT = "2026-11-23T06:00:00Z";

function entry(name: string, kind: FileEntry["kind"] = "file", size = 7): FileEntry {
  return { name, kind, size, modified_at: AT, has_content: kind === "file" };
}

function folder(path: string, entries: FileEntry[], rest: object = {}) {
  return { path, entries, total: entries.length, is_cut: false, unreadable_names: 0, ...rest };
}

/** A job whose outputs are these folders, by their paths. */
function show(folders: Record<string, ReturnType<typeof folder>>, routes: object = {}) {
  const asked = serve({
    [LIST]: ({ url }: Asked) => folders[new URL(url).searchParams.get("path") ?? ""],
    ...routes,
  });
  function Page() {
    const [search, setSearch] = useState<OutputSearch>({});
    return <OutputFiles jobId="job-1" search={search} onSearch={setSearch} />;
  }
  renderPart(<Page />);
  return asked;
}

function address(name: string) {
  return screen.getByRole("link", { name }).getAttribute("href");
}

it("walks into folders, and offers each of them, each file and all of it as a download", async () => {
  show({
    "": folder("", [entry("模型 1", "folder"), entry("a b.txt")]),
    "模型 1": folder("模型 1", [entry("latest.pt"), entry("step 2", "folder")]),
  });
  await screen.findByRole("button", { name: "a b.txt" });
  expect(address("Download all")).toBe("/api/v1/jobs/job-1/outputs-archive?path=");
  expect(address("Download a b.txt")).toBe("/api/v1/jobs/job-1/outputs/a%20b.txt");

  await userEvent.click(screen.getByRole("button", { name: "模型 1" }));
  await screen.findByRole("button", { name: "latest.pt" });
  const here = encodeURIComponent("模型 1");
  expect(address("Download this folder")).toBe(`/api/v1/jobs/job-1/outputs-archive?path=${here}`);
  expect(address("Download latest.pt")).toBe(`/api/v1/jobs/job-1/outputs/${here}/latest.pt`);
  expect(address("Download step 2")).toBe(
    `/api/v1/jobs/job-1/outputs-archive?path=${encodeURIComponent("模型 1/step 2")}`,
  );
  const bar = within(screen.getByRole("navigation", { name: "Folder" }));
  expect(bar.getByText("模型 1").getAttribute("aria-current")).toBe("location");
  expect(bar.getByRole("link", { name: "Outputs" }).getAttribute("href")).toContain("tab=outputs");
});

it("names links that lead out and pipes, and opens neither", async () => {
  show({ "": folder("", [entry("out", "link"), entry("pipe", "special")]) });
  expect(await screen.findByText(/not followed/)).toBeTruthy();
  expect(screen.getByText(/Device or pipe/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "out" })).toBeNull();
  expect(screen.queryByRole("link", { name: "Download pipe" })).toBeNull();
});

it("shows what is in a table without a download of it", async () => {
  const csv = () => new Response("loss,step\n1,2\n", { status: 206 });
  const asked = show(
    { "": folder("", [entry("runs 1.csv", "file", 14)]) },
    { "GET /api/v1/jobs/job-1/outputs/runs%201.csv": csv },
  );
  await userEvent.click(await screen.findByRole("button", { name: "runs 1.csv" }));
  const preview = within(await screen.findByRole("dialog"));
  expect(await preview.findByRole("columnheader", { name: "loss" })).toBeTruthy();
  expect(asked.at(-1)?.headers.get("Range")).toBe("bytes=0-524287");
  expect(preview.getByRole("link", { name: "Download" }).getAttribute("href")).toBe(
    "/api/v1/jobs/job-1/outputs/runs%201.csv",
  );
  await userEvent.click(preview.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("pages through a large folder, and says when even the pages do not hold all of it", async () => {
  const asked = show({ "": folder("", [entry("0.txt")], { total: 100_000, is_cut: true }) });
  expect(await screen.findByText(/only 100,000 of its entries are listed/)).toBeTruthy();
  await userEvent.click(await screen.findByTitle("2"));
  await waitFor(() => expect(asked.at(-1)?.url).toContain("offset=200"));
});

it("reads names that are not UTF-8 as GBK, and downloads such a file by its bytes", async () => {
  const raw = "\uf7d6\uf7d0.txt";
  show({ "": folder("", [entry(raw)], { unreadable_names: 1 }) });
  expect(await screen.findByText("The name of 1 entry is not UTF-8")).toBeTruthy();
  screen.getByRole("button", { name: "中.txt" });
  expect(address("Download 中.txt")).toBe(`/api/v1/jobs/job-1/outputs/${encodeURIComponent(raw)}`);
});

it("has nothing to download where a job left nothing, in Chinese too", async () => {
  await speak("zh-CN");
  show({ "": folder("", []) });
  expect(await screen.findByText("没有输出文件")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "全部下载" })).toBeNull();
});
