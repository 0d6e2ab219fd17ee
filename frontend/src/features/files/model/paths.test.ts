import { expect, it } from "vitest";
import {
  crumbsOf,
  folderNode,
  folderOf,
  foldersAlong,
  folderTopic,
  isFileName,
  isRaw,
  joined,
  nameOf,
  pathFrom,
  previewKind,
  readFileSearch,
  sftpLines,
  shownPath,
  withListed,
} from "./paths";

const file = (name: string, size = 1) => ({
  name,
  kind: "file" as const,
  size,
  modified_at: "2026-03-01T09:00:00Z",
  has_content: true,
});

it("takes paths apart and puts them together", () => {
  expect(joined("", "a")).toBe("a");
  expect(joined("a/b", "报告.txt")).toBe("a/b/报告.txt");
  expect([folderOf("a/b/c"), folderOf("a"), nameOf("a/b"), nameOf("a")]).toEqual([
    "a/b",
    "",
    "b",
    "a",
  ]);
  expect(crumbsOf("a/b")).toEqual([
    { name: "a", path: "a" },
    { name: "b", path: "a/b" },
  ]);
  expect(crumbsOf("")).toEqual([]);
});

it("takes the names that the server takes", () => {
  for (const name of ["报告 1.txt", "...", " x ", "a".repeat(255), "%2e", "$(id)"])
    expect(isFileName(name)).toBe(true);
  for (const name of ["", ".", "..", "a/b", "a\nb", "a\u0000", "名".repeat(86)])
    expect(isFileName(name)).toBe(false);
});

it("keeps in the address what is known, and nothing else", () => {
  expect(
    readFileSearch({ volume: "v", path: "a", sort: "size", descending: true, page: 2 }),
  ).toEqual({ volume: "v", path: "a", sort: "size", descending: true, page: 2 });
  expect(readFileSearch({ volume: 3, path: "", sort: "colour", page: 1, x: 1 })).toEqual({});
});

it("shows each file as what it is", () => {
  expect(previewKind(file("a.csv"))).toBe("table");
  expect(previewKind(file("a.ipynb"))).toBe("notebook");
  expect(previewKind(file("a.SVG"))).toBe("image");
  expect(previewKind(file("a.html"))).toBe("text");
  expect(previewKind(file("Makefile"))).toBe("text");
  expect(previewKind(file("a.png", 2 ** 40))).toBe("none");
  expect(previewKind({ ...file("a"), kind: "link" })).toBe("text");
  expect(previewKind({ ...file("a"), kind: "link", has_content: false })).toBe("none");
});

it("quotes a path for the shell", () => {
  const [shell] = sftpLines("portal.example", 8022, "vision.papers", "a'b c");
  expect(shell.text).toBe("sftp -P 8022 'files@portal.example:/vision.papers/a'\\''b c'");
});

it("names the topic of a folder without blanks, unless the path is too long", () => {
  expect(folderTopic("v1", "")).toBe("files:v1:");
  expect(folderTopic("v1", "run 1/50%/深\t")).toBe("files:v1:run%201/50%25/深%09");
  expect(folderTopic("v1", "a".repeat(4_300))).toBeNull();
});

it.each([
  ["docs", "a.md", "docs/a.md"],
  ["docs", "./b/../a%20b.md?x#y", "docs/a b.md"],
  ["docs", "../图.png", "图.png"],
  ["docs", "/top.md", "top.md"],
  ["", "100%.md", "100%.md"],
  ["docs", "sub/", "docs/sub"],
  ["docs", "../../etc", null],
  ["docs", "../../../etc", null],
  ["docs", "#part", null],
  ["docs", "https://a.example/b", null],
  ["docs", "//a.example/b", null],
  ["docs", "javascript:alert(1)", null],
  ["docs", "..", null],
  ["docs", "a%00b", null],
])("in %j follows %s to %j", (folder, link, path) => {
  expect(pathFrom(folder, link)).toBe(path);
});

it("knows the folders from the top to one", () => {
  expect(foldersAlong("")).toEqual([""]);
  expect(foldersAlong("a/报告/c")).toEqual(["", "a", "a/报告", "a/报告/c"]);
});

const level = (path: string, names: string[], is_cut = false) => ({ path, names, is_cut });

it("takes what a list says of its folder only where it is news", () => {
  const known = level("a", ["b", "C"], true);
  expect(withListed(known, ["C", "b"])).toBeNull();
  expect(withListed(known, ["d", "C", "b"])).toEqual(level("a", ["b", "C", "d"]));
  expect(withListed(known, ["b"])).toEqual(level("a", ["b"]));
  expect(withListed(level("a", ["b"]), ["c"])).toEqual(level("a", ["c"]));
});

it("builds a tree of the folders that have been read", () => {
  const levels = new Map(
    [level("", ["a", "b"]), level("a", ["c"], true), level("b", [])].map((each) => [
      each.path,
      each,
    ]),
  );
  const top = folderNode("Home", "", levels);
  expect([top.key, top.isLeaf]).toEqual(["/", false]);
  const [a, b] = top.children ?? [];
  expect([b?.key, b?.isLeaf]).toEqual(["/b", true]);
  const [c, more] = a?.children ?? [];
  expect([c?.path, c?.isLeaf, c?.children]).toEqual(["a/c", false, undefined]);
  expect([more?.isMore, more?.path, more?.key]).toEqual([true, "a", "/a//"]);
});

it("reads names that are not UTF-8 as GB 18030 where they are that", () => {
  expect(shownPath("a/报告.txt")).toBe("a/报告.txt");
  expect([isRaw("报告"), isRaw("\uf7d6")]).toEqual([false, true]);
  expect(shownPath("\uf7d6\uf7d0.txt")).toBe("中.txt");
  expect(shownPath("报告/\uf7d6\uf7d0/b")).toBe("报告/中/b");
  expect(shownPath("a\uf7ff")).toBe("a\ufffd");
  expect(shownPath("\uf7d6")).toBe("\ufffd");
});
