import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderPart } from "@/testing/render";
import { MenuButton } from "./menu-button";

it("opens at the first click or key, keeps the focus, and acts", async () => {
  const chosen = vi.fn();
  const menu = { items: [{ key: "dark", label: "Dark" }], onClick: chosen };
  renderPart(<MenuButton label="Theme" icon={null} menu={menu} />);
  const button = await screen.findByRole("button", { name: "Theme" });
  button.focus();
  await userEvent.keyboard("{Enter}");
  const item = await screen.findByRole("menuitem", { name: "Dark" });
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Theme" })),
  );
  await userEvent.click(item);
  expect(chosen).toHaveBeenCalledOnce();
});
