import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Dataset, DatasetVersion, Publication } from "@/shared/api/types";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { VersionsDrawer } from "./versions-drawer";

const DATASET = { id: "dataset-1", name: "faces", newest: 2, may_manage: false } as Dataset;
const VERSIONS = [
  aVersion({ number: 2, alias: "clean", note: "without doubles" }),
  aVersion({ number: 1, state: "retired" }),
];

function aVersion(fields: Partial<DatasetVersion>): DatasetVersion {
  return {
    number: 1,
    alias: "",
    note: "",
    state: "ready",
    created_at: "2026-03-01T09:00:00Z",
    made_by: { id: "user-1", username: "li", display_name: "Li Na" },
    size_bytes: 2048,
    file_count: 3,
    changed_at: null,
    place: "nodes",
    path: null,
    workloads: null,
    missing_on: null,
    ...fields,
  };
}

function show(
  isManager: boolean,
  versions: DatasetVersion[],
  { mayManage = isManager, publications = [] as Partial<Publication>[] } = {},
) {
  const asked = serve({
    "GET /api/v1/dataset-publications": { results: publications, next: null },
    "DELETE /api/v1/dataset-publications/publication-1": {},
    "GET /api/v1/datasets/dataset-1/versions": versions,
    "PATCH /api/v1/datasets/dataset-1/versions/2": versions[0],
  });
  const dataset = { ...DATASET, may_manage: mayManage };
  renderPart(<VersionsDrawer dataset={dataset} isManager={isManager} onClose={() => undefined} />);
  return asked;
}

it("tells readers what to name, who made it and what is retired, and no more", async () => {
  show(false, VERSIONS);
  const [newest, first] = await rows();
  for (const text of ["faces@2", "faces@clean", "without doubles", "3 files", "Li Na"])
    expect(newest?.getByText(text)).toBeDefined();
  expect(first?.getByText("Retired: new work does not get it.")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Retire faces@2" })).toBeNull();
});

it("lets managers retire a version after a question", async () => {
  const asked = show(true, [
    aVersion({ number: 2, path: "vision/faces-2", workloads: 3, missing_on: ["gpu-1"] }),
  ]);
  const [newest] = await rows();
  expect(newest?.getByText("vision/faces-2")).toBeDefined();
  expect(newest?.getByText(/Not on gpu-1/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Retire faces@2" }));
  await userEvent.click(await screen.findByRole("button", { name: "Retire" }));
  await waitFor(() =>
    expect(asked.find(({ route }) => route.startsWith("PATCH"))?.body).toEqual({
      state: "retired",
    }),
  );
});

it("shows the admins of its group what is being published, and lets them cancel it", async () => {
  const asked = show(false, [aVersion({ number: 2, place: "storage" })], {
    mayManage: true,
    publications: [
      {
        id: "publication-1",
        name: "faces",
        state: "copying",
        bytes_total: 4096,
        bytes_done: 1024,
        files_done: 3,
      },
    ],
  });
  expect((await screen.findByRole<HTMLProgressElement>("progressbar")).value).toBe(25);
  expect(screen.getByText("1 KiB of 4 KiB, 3 files")).toBeDefined();
  expect(screen.getByRole("columnheader", { name: /Used by/ })).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Cancel publishing faces" }));
  await userEvent.click(
    (await screen.findAllByRole("button", { name: "Cancel" })).at(-1) as Element,
  );
  await waitFor(() => expect(asked.some(({ route }) => route.startsWith("DELETE"))).toBe(true));
});

it("says why nothing was published", async () => {
  show(false, [], {
    mayManage: true,
    publications: [
      {
        id: "publication-1",
        name: "faces",
        state: "failed",
        created_at: "2026-03-01T09:00:00Z",
        ended_at: null,
        failure: { code: "copy_of_nothing", detail: "There is no file in this folder." },
      },
    ],
  });
  expect(await screen.findByText("There is no file in this folder.")).toBeDefined();
});

async function rows() {
  await screen.findByText("faces@2");
  return screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row));
}
