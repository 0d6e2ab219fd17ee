import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { renderPart } from "@/testing/render";
import { Hinted, hasNewBuild, later, MenuButton, usePrefetch } from "./opening";

const away = () => new TypeError("Failed to fetch dynamically imported module: /assets/part.js");

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.head.replaceChildren();
});

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

it("opens what was pressed while the server was away once it is back, and keeps the page", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const load = vi.fn().mockRejectedValueOnce(away()).mockRejectedValueOnce(away());
  const Part = later(load.mockResolvedValue(() => "The dialog"));
  renderPart(<p>Typed: {<Part />}</p>);
  await screen.findByText("Typed:");
  await vi.advanceTimersByTimeAsync(2_500);
  expect(screen.queryByText(/The dialog/)).toBeNull();
  expect(screen.getByRole("status", { name: "Loading" }).className).not.toBe("");
  await vi.advanceTimersByTimeAsync(2_500);
  await screen.findByText(/The dialog/);
  expect(screen.queryByRole("status")).toBeNull();
  expect(load).toHaveBeenCalledTimes(3);
});

it("loads in a pause what can be opened, so that it opens without the server", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const load = vi.fn().mockResolvedValue(() => null);
  later(load);
  function Page() {
    usePrefetch();
    return "Files";
  }
  renderPart(<Page />);
  await screen.findByText("Files");
  await vi.advanceTimersByTimeAsync(9_000);
  fireEvent.keyDown(document.body, { key: "a" });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(load).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  await waitFor(() => expect(load).toHaveBeenCalledOnce());
});

it.each([
  ["/assets/index-1.js", true, false],
  ["/assets/index-2.js", true, true],
  ["", false, false],
])(
  "takes a page for outdated where the server has another build: %s",
  async (now, ok, outdated) => {
    document.head.innerHTML = '<script type="module" src="/assets/index-1.js"></script>';
    vi.stubGlobal(
      "fetch",
      async () => new Response(`<script src="${now}">`, { status: ok ? 200 : 503 }),
    );
    expect(await hasNewBuild()).toBe(outdated);
  },
);
