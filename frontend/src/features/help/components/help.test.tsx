import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { HelpMenu } from "./help-menu";
import { HelpPage } from "./help-page";

const guide = (text: string) => () =>
  new Response(text, { headers: { "Content-Type": "text/markdown; charset=utf-8" } });

const IDLE = `# When a notebook is idle

[中文](idle.zh-CN.md)

See [reservations](reservations.md) and [the server](../admin/server.md).

![A warning](../img/walk/notebook.en.png)
`;

it("shows a guide with its links and pictures", async () => {
  serve({ "GET /guides/users/idle.md": guide(IDLE) });
  renderPart(<HelpPage guide="users/idle" />);
  expect(
    await screen.findByRole("heading", { level: 1, name: "When a notebook is idle" }),
  ).toBeTruthy();
  const next = screen.getByRole("link", { name: "reservations" });
  expect(next.getAttribute("href")).toBe("/help/users/reservations");
  expect(screen.queryByRole("link", { name: "the server" })).toBeNull();
  expect(screen.queryByText("中文")).toBeNull();
  const picture = screen.getByRole("img", { name: "A warning" });
  expect(picture.getAttribute("src")).toBe("/guides/img/walk/notebook.en.png");
});

it("reads in the language of the pages", async () => {
  await speak("zh-CN");
  serve({ "GET /guides/users/idle.zh-CN.md": guide("# Notebook 闲置时\n\n显存\n") });
  renderPart(<HelpPage guide="users/idle" />);
  expect(await screen.findByRole("heading", { name: "Notebook 闲置时" })).toBeTruthy();
});

it.each(["users/none", "users/../../api"])("says that there is no guide %s", async (name) => {
  const asked = serve({
    "GET /guides/users/none.md": () =>
      new Response("<html>", { headers: { "Content-Type": "text/html" } }),
  });
  renderPart(<HelpPage guide={name} />);
  expect(await screen.findByText("There is no such guide.")).toBeTruthy();
  expect(asked.map(({ route }) => route).filter((route) => route.includes("api"))).toEqual([]);
});

it("opens the guide of the page, and the keys", async () => {
  const onKeys = vi.fn();
  serve({});
  renderPart(<HelpMenu onKeys={onKeys} />);
  await userEvent.click(await screen.findByRole("button", { name: "Help" }));
  const all = await screen.findByRole("link", { name: "All guides" });
  expect(all.getAttribute("href")).toBe("/help");
  await userEvent.click(screen.getByRole("menuitem", { name: "Keyboard shortcuts" }));
  expect(onKeys).toHaveBeenCalledOnce();
});
