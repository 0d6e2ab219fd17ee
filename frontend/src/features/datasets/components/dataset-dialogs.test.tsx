import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Me } from "@/shared/api/types";
import { aMe, aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PublishFilesButton } from "./publish-button";

const group = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" };
const HEAD: Partial<Me> = { memberships: [{ group, role: "group_admin" }] };
const VOLUME = { state: "active", location: "shared", access: "write" };

function show(stores: object[]) {
  const asked = serve({
    "GET /api/v1/datasets": aPage([{ id: "faces", name: "faces", may_manage: true }]),
    "GET /api/v1/object-stores": stores,
    "GET /api/v1/volumes": aPage([
      { ...VOLUME, id: "volume-1", folder_name: "vision.data" },
      { ...VOLUME, id: "volume-2", folder_name: "elsewhere", location: "node" },
    ]),
    "POST /api/v1/dataset-publications": { id: "publication-1", name: "faces" },
  });
  renderPart(<PublishFilesButton />, aMe(HEAD));
  return asked;
}

function sent(asked: ReturnType<typeof show>) {
  return asked.find(({ route }) => route.startsWith("POST"))?.body;
}

it("publishes objects below a prefix of a store", async () => {
  const asked = show([{ name: "lab", bucket: "sets", prefix: "shared/" }]);
  await userEvent.click(await screen.findByRole("button", { name: /Publish files/ }));
  await userEvent.click(await screen.findByLabelText("Object store"));
  await screen.findByText("lab (bucket sets)");
  await userEvent.type(screen.getByLabelText("Prefix"), "faces/clean/");
  await userEvent.click(screen.getByRole("button", { name: "Publish" }));

  await waitFor(() =>
    expect(sent(asked)).toEqual({
      store: "lab",
      path: "faces/clean",
      dataset: "faces",
      alias: "",
      note: "",
    }),
  );
});

it("asks for a folder of a volume where there is no store", async () => {
  const asked = show([]);
  await userEvent.click(await screen.findByRole("button", { name: /Publish files/ }));
  await userEvent.click(await screen.findByLabelText("Volume"));
  await userEvent.click(await screen.findByText("vision.data"));
  expect(screen.queryByText("elsewhere")).toBeNull();
  await userEvent.type(screen.getByLabelText("Folder"), "faces");
  await userEvent.click(screen.getByRole("button", { name: "Publish" }));

  await waitFor(() => expect(sent(asked)).toMatchObject({ volume: "volume-1", path: "faces" }));
});
