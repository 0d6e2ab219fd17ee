import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderPart } from "@/testing/render";
import { Hinted, MenuButton } from "./opening";

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

it("says its words to who comes by keyboard, and leaves the element as it was", async () => {
  renderPart(
    <Hinted title="Nothing is measured">
      <button type="button">Simulated</button>
    </Hinted>,
  );
  const button = await screen.findByRole("button", { name: "Simulated" });
  expect(screen.queryByRole("tooltip")).toBeNull();
  await userEvent.tab();
  expect((await screen.findByRole("tooltip")).textContent).toBe("Nothing is measured");
  await waitFor(() => expect(button.getAttribute("aria-describedby")).toBeTruthy());
  expect(document.activeElement).toBe(button);
  await userEvent.tab();
  await waitFor(() => expect(button.getAttribute("aria-describedby")).toBeNull());
});
