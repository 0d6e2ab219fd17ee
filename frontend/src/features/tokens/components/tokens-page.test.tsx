import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { TokensPage } from "./tokens-page";

const CREATE = "POST /api/v1/tokens";

async function openDialog() {
  const asked = serve({
    "GET /api/v1/tokens": aPage([]),
    "GET /api/v1/robots": aPage([]),
    [CREATE]: { token: "berth_secret" },
  });
  renderPart(<TokensPage />);
  await userEvent.click(await screen.findByRole("button", { name: "Create token" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "nightly");
  return { create: () => screen.getAllByRole("button", { name: "Create token" }).at(-1), asked };
}

it("shows a new secret until it is copied, whatever key is pressed", async () => {
  const { create } = await openDialog();
  await userEvent.click(create() as HTMLElement);
  expect(await screen.findByText("berth_secret")).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "Close" })).toBeNull();
  expect(screen.getByText("berth_secret")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "I have copied it" }));
  await waitFor(() => expect(screen.queryByText("berth_secret")).toBeNull());
});

it("leads to what the API says of itself", async () => {
  serve({ "GET /api/v1/tokens": aPage([]), "GET /api/v1/robots": aPage([]) });
  renderPart(<TokensPage />);
  const link = await screen.findByRole("link", { name: "API documentation" });
  expect(link.getAttribute("href")).toBe("/api/docs");
});

it("asks for a scope", async () => {
  const { create, asked } = await openDialog();
  for (const box of screen.getAllByRole("checkbox")) await userEvent.click(box);
  await userEvent.click(create() as HTMLElement);
  expect(await screen.findByText("Choose at least one scope.")).toBeTruthy();
  expect(asked.some(({ route }) => route === CREATE)).toBe(false);
});
