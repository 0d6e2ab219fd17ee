import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import en from "../locales/en.json";
import zh from "../locales/zh-CN.json";
import { AREAS, scopesOf } from "../model/scopes";
import { TokensPage } from "./tokens-page";

const CREATE = "POST /api/v1/tokens";

async function openDialog() {
  const asked = serve({
    "GET /api/v1/tokens": aPage([]),
    "GET /api/v1/robots": aPage([]),
    [CREATE]: { token: "berth_secret", scopes: ["me.view"] },
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

it("asks for a scope, offers all by their words, and chooses the smallest", async () => {
  const { create, asked } = await openDialog();
  const scopes = screen.getByRole("combobox", { name: "Scopes" });
  expect(screen.getByText("See who it is, and its notices")).toBeTruthy();
  await userEvent.type(scopes, "{Backspace}");
  await userEvent.click(create() as HTMLElement);
  expect(await screen.findByText("Choose at least one scope.")).toBeTruthy();
  expect(asked.some(({ route }) => route === CREATE)).toBe(false);

  await userEvent.type(scopes, "write");
  await userEvent.click(await screen.findByTitle("Write and delete files"));
  await userEvent.click(create() as HTMLElement);
  expect(await screen.findByText("berth_secret")).toBeTruthy();
  const sent = asked.find(({ route }) => route === CREATE)?.body;
  expect(sent).toMatchObject({ name: "nightly", scopes: ["volume.write"] });
});

it("has words for every scope in both languages", () => {
  const scopes = AREAS.flatMap(scopesOf);
  for (const words of [en.scope, zh.scope] as Record<string, Record<string, string>>[]) {
    const named = Object.entries(words).flatMap(([what, verbs]) =>
      Object.keys(verbs).map((verb) => `${what}.${verb}`),
    );
    expect(named.toSorted()).toEqual([...scopes].toSorted());
  }
});
