import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { FileEntry, Volume } from "@/shared/api/types";
import { aHome } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import type { FileSearch } from "../model/paths";
import { FilesPage } from "./files-page";

const VOLUME = "/api/v1/volumes/home-1";
const AT = "2026-11-23T06:00:00Z";

function entry(name: string, kind: FileEntry["kind"] = "file"): FileEntry {
  return { name, kind, size: 1, modified_at: AT, has_content: kind === "file" };
}

const ENTRIES = [
  entry("data", "folder"),
  entry("a.txt"),
  entry("报告.txt"),
  entry("pipe", "special"),
];
const GONE = { code: "not_found", detail: "There is no such file or folder." };

/** A folder `run` of a home, and what is asked of it. */
function show(routes: object = {}, volume: Partial<Volume> = {}, search: FileSearch = {}) {
  const asked = serve({
    "GET /api/v1/volumes": { results: [], count: 0 },
    "POST /api/v1/volumes/home": aHome(volume),
    [`GET ${VOLUME}/files`]: {
      ...{ path: "run", entries: ENTRIES, total: 4, is_cut: false, unreadable_names: 0 },
    },
    [`GET ${VOLUME}/folders`]: [
      { path: "", names: ["other", "run"], is_cut: false },
      { path: "run", names: ["data"], is_cut: false },
    ],
    ...routes,
  });
  function Page() {
    const [place, setPlace] = useState<FileSearch>({ path: "run", ...search });
    return <FilesPage search={place} onSearch={setPlace} apps={() => null} />;
  }
  renderPart(<Page />);
  return asked;
}

async function select(...names: string[]) {
  for (const name of names)
    await userEvent.click(await screen.findByRole("checkbox", { name: `Select ${name}` }));
}

it("deletes what is selected after one question, says what became of each, and takes it back", async () => {
  const TRASH = `POST ${VOLUME}/files/trash`;
  const RESTORE = `POST ${VOLUME}/files/restore`;
  const asked = show({
    [TRASH]: [
      { path: "run/data", id: "t1", refusal: null },
      { path: "run/报告.txt", id: null, refusal: GONE },
    ],
    [RESTORE]: { paths: ["run/data"] },
  });
  await select("data", "报告.txt");
  await userEvent.click(screen.getByRole("button", { name: "Delete (2)" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "data",
    "报告.txt",
  ]);
  expect(asked.some(({ route }) => route === TRASH)).toBe(false);
  await userEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await dialog.findByText("1 of 2 done. 1 refused.");
  expect(dialog.getByText("报告.txt").parentElement?.textContent).toContain("Refused: ");
  expect(asked.filter(({ route }) => route === TRASH).map(({ body }) => body)).toEqual([
    { paths: ["run/data", "run/报告.txt"] },
  ]);
  await userEvent.click(dialog.getByRole("button", { name: "Close" }));
  await screen.findByText("Deleted data");
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(asked.find(({ route }) => route === RESTORE)?.body).toEqual({ ids: ["t1"] });
});

it("moves what is selected into a folder of the tree", async () => {
  const MOVE = `POST ${VOLUME}/files/move-into`;
  const asked = show({
    [MOVE]: [
      { path: "run/a.txt", to: "other/a.txt", refusal: null },
      { path: "run/pipe", to: "other/pipe", refusal: null },
    ],
  });
  await select("a.txt", "pipe");
  await userEvent.click(screen.getByRole("button", { name: "Move (2)" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("button", { name: "Move" }).hasAttribute("disabled")).toBe(true);
  await userEvent.click(await dialog.findByText("other"));
  await userEvent.click(dialog.getByRole("button", { name: "Move" }));
  await dialog.findByText("2 of 2 done.");
  expect(asked.find(({ route }) => route === MOVE)?.body).toEqual({
    paths: ["run/a.txt", "run/pipe"],
    folder: "other",
  });
});

it("packs what is selected into one file by a form, and copies its paths as work sees them", async () => {
  const user = userEvent.setup();
  const sent: [string, string[]][] = [];
  const submit = vi.spyOn(HTMLFormElement.prototype, "submit").mockImplementation(function (
    this: HTMLFormElement,
  ) {
    const names = [...this.querySelectorAll("input")].map(({ name, value }) => `${name}=${value}`);
    sent.push([`${this.method} ${this.getAttribute("action")} ${this.target}`, names]);
  });
  show();
  await select("data", "报告.txt", "pipe");
  await user.click(screen.getByRole("button", { name: "Download as zip (2)" }));
  expect(sent).toEqual([
    [`post ${VOLUME}/archive?path=run _blank`, ["name=data", "name=报告.txt"]],
  ]);
  submit.mockRestore();
  expect(document.querySelector("form[action*=archive]")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Copy paths (3)" }));
  await screen.findByText("Copied 3 paths, as notebooks and jobs see them.");
  expect(await navigator.clipboard.readText()).toBe(
    ["data", "报告.txt", "pipe"].map((name) => `/home/berth/run/${name}`).join("\n"),
  );
});

it.each([
  ["readers", { access: "read" as const }, {}],
  ["who looks at a snapshot", {}, { snapshot: "daily-1" }],
])("offers %s nothing that changes files", async (_who, volume, search) => {
  show({}, volume, search);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Select all listed" }));
  screen.getByText("4 selected");
  screen.getByRole("button", { name: "Download as zip (3)" });
  expect(screen.queryByRole("button", { name: /^(Delete|Move)/ })).toBeNull();
});

it("forgets what is selected in another folder with the same names", async () => {
  show();
  await select("data", "a.txt");
  await userEvent.click(screen.getByRole("button", { name: "data" }));
  await waitFor(() => expect(screen.queryByText("2 selected")).toBeNull());
  const box = await screen.findByRole("checkbox", { name: "Select a.txt" });
  expect((box as HTMLInputElement).checked).toBe(false);
});
