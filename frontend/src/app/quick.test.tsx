import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { QuickAccess } from "./quick";
import { useQuickKeys } from "./quick-keys";

function Keys() {
  const [quick, setQuick] = useQuickKeys();
  return (
    <>
      <input aria-label="field" />
      <div className="xterm">
        <input aria-label="terminal" />
      </div>
      {quick && <QuickAccess quick={quick} onClose={() => setQuick(null)} />}
    </>
  );
}

const palette = () => screen.queryByRole("dialog", { name: "Go to" });
const keys = () => screen.queryByRole("dialog", { name: "Keyboard shortcuts" });

it("opens by Ctrl-K from any field but a terminal, and finds pages and work by keys alone", async () => {
  const hit = { id: "1", name: "vision-run", detail: "Li", state: "running", array: null };
  const person = { ...hit, kind: "person", id: "2", name: "vision.wu", state: "" };
  const asked = serve({ "GET /api/v1/search": { hits: [{ ...hit, kind: "training" }, person] } });
  renderPart(<Keys />);
  const user = userEvent.setup();
  await user.click(await screen.findByLabelText("terminal"));
  await user.keyboard("{Control>}k{/Control}");
  expect(palette()).toBeNull();
  await user.click(screen.getByLabelText("field"));
  await user.keyboard("{Control>}k{/Control}");
  const field = await screen.findByRole("combobox", { name: /Search pages/ });
  await user.type(field, "vision");
  const option = await screen.findByRole("option", { name: /vision-run/ });
  expect(option.getAttribute("aria-selected")).toBe("true");
  expect(field.getAttribute("aria-activedescendant")).toBe(option.id);
  expect(screen.getByRole("option", { name: /vision.wu/ })).toBeTruthy();
  expect(asked.filter(({ route }) => route === "GET /api/v1/search")).toHaveLength(1);
  await user.clear(field);
  await user.type(field, "queue");
  expect(within(screen.getByRole("listbox")).getByRole("option", { name: "Queue" })).toBeTruthy();
  await user.keyboard("{Enter}");
  await waitFor(() => expect(palette()).toBeNull());
});

it("lists the keys by a question mark, but not while somebody types", async () => {
  serve({});
  renderPart(<Keys />);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("field"), "?");
  expect(keys()).toBeNull();
  await user.tab({ shift: true });
  await user.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeTruthy();
  expect(screen.getByText("Go to Queue")).toBeTruthy();
  await speak("zh-CN");
  expect(screen.getByText("键盘快捷键")).toBeTruthy(); // locale-check: the expected text
});
