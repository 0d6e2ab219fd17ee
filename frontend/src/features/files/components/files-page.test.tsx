import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import type { Volume } from "@/shared/api/types";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import type { FileSearch } from "../model/paths";
import { FilesPage } from "./files-page";

const HOME: Volume = {
  id: "home-1",
  kind: "home",
  name: "wang.fang",
  description: "",
  group: null,
  owner: null,
  access: "write",
  writers: "developer",
  location: "shared",
  node: null,
  mount_path: "/home/berth",
  quota_mib: 0,
  used_mib: null,
  measured_at: null,
  is_full: false,
  is_writable_below: true,
  may_manage: false,
  state: "active",
  uses: 0,
  created_at: "2026-11-23T06:00:00Z",
  removed_at: null,
};
const FOLDER = { path: "", total: 1, is_cut: false, may_write: true };
const RUN = { name: "run", kind: "folder", size: 0, modified_at: "2026-11-23T06:00:00Z" };

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
