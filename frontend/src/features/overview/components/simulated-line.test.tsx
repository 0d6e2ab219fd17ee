import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { SimulatedLine } from "./simulated-line";

const DEMO = {
  past_from: "2026-10-25T16:00:00Z",
  seeded_at: "2026-11-29T09:00:00Z",
  activity: true,
  removed_at: null,
};

function show(platform_role: "" | "platform_admin", demo: object, is_simulated = true) {
  const asked = serve({
    "GET /api/v1/config": { is_simulated },
    "GET /api/v1/demo": demo,
    "DELETE /api/v1/demo": undefined,
  });
  renderPart(<SimulatedLine />, aMe({ platform_role }));
  return asked;
}

it("marks a simulated past for everybody, and offers its removal to administrators", async () => {
  const asked = show("platform_admin", DEMO);
  await userEvent.click(await screen.findByRole("button", { name: "Remove all simulated work" }));
  expect(await screen.findByText(/All simulated jobs and notebooks/)).toBeTruthy();
  await userEvent.click(await screen.findByRole("button", { name: "Remove…" }));
  expect(asked.map(({ route }) => route)).toContain("DELETE /api/v1/demo");
});

it("lets an administrator pause the activity, and resume it, after a question", async () => {
  const asked = serve({
    "GET /api/v1/config": { is_simulated: true },
    "GET /api/v1/demo": DEMO,
    "PATCH /api/v1/demo": ({ body }: { body: unknown }) => ({ ...DEMO, ...(body as object) }),
  });
  renderPart(<SimulatedLine />, aMe({ platform_role: "platform_admin" }));
  await userEvent.click(
    await screen.findByRole("button", { name: "Pause the simulated activity" }),
  );
  expect(await screen.findByText(/what they have running ends within minutes/)).toBeTruthy();
  await userEvent.click(await screen.findByRole("button", { name: "Pause…" }));
  await userEvent.click(
    await screen.findByRole("button", { name: "Resume the simulated activity" }),
  );
  await userEvent.click(await screen.findByRole("button", { name: "Resume…" }));
  expect(await screen.findByRole("button", { name: "Pause the simulated activity" })).toBeTruthy();
  const sent = asked.filter(({ route }) => route.startsWith("PATCH")).map(({ body }) => body);
  expect(sent).toEqual([{ activity: false }, { activity: true }]);
});

it("shows members the mark alone", async () => {
  await speak("zh-CN");
  show("", DEMO);
  expect(await screen.findByText("模拟")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

it("says so while it is being removed", async () => {
  show("platform_admin", { ...DEMO, activity: false, removed_at: "2026-11-29T10:00:00Z" });
  expect(await screen.findByText(/is being removed/)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

it("asks nothing where the cards are real", async () => {
  const asked = show("platform_admin", DEMO, false);
  await waitFor(() => expect(asked.map(({ route }) => route)).toContain("GET /api/v1/config"));
  expect(asked.map(({ route }) => route)).not.toContain("GET /api/v1/demo");
});
