import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Me } from "@/shared/api/types";
import { aMe, aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PublishButton } from "./publish-button";

const FOLDER = { volume: "volume-1", path: "faces" };
const group = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" };
const HEAD: Partial<Me> = { memberships: [{ group, role: "group_admin" }] };

function show(me: Partial<Me>, names: string[]) {
  const asked = serve({
    "GET /api/v1/datasets": aPage(names.map((name) => ({ id: name, name, may_manage: true }))),
    "POST /api/v1/dataset-publications": { id: "publication-1", name: "faces" },
  });
  renderPart(<PublishButton folder={FOLDER} title="faces" />, aMe(me));
  return asked;
}

it("offers nothing to people who manage no data sets", async () => {
  show({}, []);
  await waitFor(() => expect(screen.queryByRole("button")).toBeNull());
});

it("publishes a folder as the next version of a data set", async () => {
  const asked = show(HEAD, ["faces"]);
  await userEvent.click(await screen.findByRole("button", { name: /Publish as data set/ }));
  await userEvent.type(await screen.findByLabelText("Alias"), "clean");
  await userEvent.click(screen.getByRole("button", { name: "Publish" }));
  await screen.findByText(/faces is being published/);
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    ...FOLDER,
    dataset: "faces",
    alias: "clean",
    note: "",
  });
});

it("makes the data set for a group where there is none", async () => {
  const asked = show(HEAD, []);
  await userEvent.click(await screen.findByRole("button", { name: /Publish as data set/ }));
  await userEvent.type(await screen.findByLabelText("Name"), "faces");
  await userEvent.click(screen.getByRole("button", { name: "Publish" }));
  await waitFor(() =>
    expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toMatchObject({
      dataset: "faces",
      group: "group-1",
    }),
  );
});
