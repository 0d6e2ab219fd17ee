import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { FileEntry } from "@/shared/api/types";
import { aHome } from "@/testing/factories";
import { type Asked, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import * as uploads from "../api/uploads";
import type { FileSearch } from "../model/paths";
import { FilesPage } from "./files-page";

const VOLUME = "/api/v1/volumes/home-1";
const AT = "2026-11-23T06:00:00Z";
const TREE: Record<string, string[]> = {
  "": ["data", "runs"],
  data: ["原始"],
  "data/原始": [],
  runs: ["one", "two"],
  "runs/one": [],
  "runs/two": [],
};

beforeEach(() => localStorage.clear());

function entry(name: string): FileEntry {
  return { name, kind: "folder", size: 0, modified_at: AT, has_content: false };
}

function queryOf({ url }: Asked) {
  const { searchParams } = new URL(url);
  return { path: searchParams.get("path") ?? "", along: searchParams.get("along") === "true" };
}

function level(path: string) {
  return { path, names: TREE[path], is_cut: false };
}

/** A home with the folders of `TREE`, and what is asked of it; lists of folders may know more. */
function show(search: FileSearch = {}, listed = TREE) {
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": aHome(),
    [`GET ${VOLUME}/files`]: (request: Asked) => {
      const { path } = queryOf(request);
      const entries = (listed[path] ?? []).map(entry);
      return { path, entries, total: entries.length, is_cut: false, unreadable_names: 0 };
    },
    [`GET ${VOLUME}/folders`]: (request: Asked) => {
      const { path, along } = queryOf(request);
      const parts = path ? path.split("/") : [];
      const above = parts.map((_, at) => parts.slice(0, at).join("/"));
      return (along ? [...above, path] : [path]).map(level);
    },
  });
  function Page() {
    const [place, setPlace] = useState<FileSearch>(search);
    return <FilesPage search={place} onSearch={setPlace} apps={() => null} />;
  }
  const { unmount } = renderPart(<Page />);
  const levels = () => asked.filter(({ route }) => route === `GET ${VOLUME}/folders`).map(queryOf);
  return { asked: levels, unmount };
}

const tree = () => screen.findByRole("tree", { name: "Folder tree" });
const seen = () => screen.getAllByRole("treeitem").map(({ textContent }) => textContent);
const here = () => within(screen.getByRole("navigation", { name: "Folder" })).getByRole("strong");

it("is open along the path, for one request", async () => {
  const { asked } = show({ path: "data/原始" });
  await waitFor(async () => {
    await tree();
    expect(seen()).toEqual(["My home", "data", "原始", "runs"]);
  });
  expect(screen.getByRole("treeitem", { name: "原始" }).getAttribute("aria-selected")).toBe("true");
  expect(asked()).toEqual([{ path: "data/原始", along: true }]);
});

it("is walked with arrows, and Enter opens the folder", async () => {
  const user = userEvent.setup();
  const { asked } = show();
  const root = await tree();
  await waitFor(() => expect(seen()).toEqual(["My home", "data", "runs"]));
  root.focus();
  // The keyboard begins at the folder that is shown.
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowRight}");
  await waitFor(() => expect(seen()).toEqual(["My home", "data", "runs", "one", "two"]));
  expect(asked().at(-1)).toEqual({ path: "runs", along: false });
  await user.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(here().textContent).toBe("one"));
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  await waitFor(() => expect(seen()).toEqual(["My home", "data", "runs"]));
});

it("shows a folder that the list has come to know, without a request", async () => {
  const { asked } = show({}, { ...TREE, "": ["new", "data"] });
  await tree();
  await waitFor(() => expect(seen()).toEqual(["My home", "data", "new"]));
  expect(asked()).toEqual([{ path: "", along: true }]);
});

it("is put away, and stays so in this browser", async () => {
  const user = userEvent.setup();
  const first = show();
  await tree();
  await user.click(screen.getByRole("button", { name: "Folder tree", expanded: true }));
  expect(screen.queryByRole("tree")).toBeNull();
  first.unmount();
  const { asked } = show();
  await screen.findByRole("button", { name: "data" });
  screen.getByRole("button", { name: "Folder tree", expanded: false });
  expect(screen.queryByRole("tree")).toBeNull();
  expect(asked()).toEqual([]);
});

it("gives way to the path where there is no room for it", async () => {
  const { matchMedia } = window;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: false,
  }));
  try {
    const { asked } = show({ path: "data" });
    await screen.findByRole("navigation", { name: "Folder" });
    await screen.findByRole("button", { name: "原始" });
    expect(screen.queryByRole("tree")).toBeNull();
    expect(asked()).toEqual([]);
  } finally {
    vi.restoreAllMocks();
  }
});

it("uploads what is dropped on a folder of tree or list into that folder", async () => {
  const added: [string, string[]][] = [];
  vi.spyOn(uploads, "addUploads").mockImplementation((volume, files) => {
    added.push([volume, files.map(({ path }) => path)]);
  });
  vi.spyOn(uploads, "droppedFiles").mockResolvedValue([
    { file: new File(["x"], "a.txt"), path: "a.txt" },
  ]);
  try {
    show({ path: "runs" });
    await waitFor(() => expect(screen.getAllByRole("treeitem")).toHaveLength(5));
    const row = screen.getByRole("row", { name: /two/ });
    fireEvent.dragOver(row);
    screen.getByText("Drop to upload into two");
    fireEvent.drop(row);
    await waitFor(() => expect(added).toHaveLength(1));
    fireEvent.drop(screen.getByRole("treeitem", { name: "data" }));
    await waitFor(() => expect(added).toHaveLength(2));
    fireEvent.drop(screen.getByRole("navigation", { name: "Folder" }));
    await waitFor(() => expect(added).toHaveLength(3));
    expect(added).toEqual([
      ["home-1", ["runs/two/a.txt"]],
      ["home-1", ["data/a.txt"]],
      ["home-1", ["runs/a.txt"]],
    ]);
  } finally {
    vi.restoreAllMocks();
  }
});
