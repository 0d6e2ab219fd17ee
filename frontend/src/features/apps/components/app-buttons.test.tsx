import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { JobArray } from "@/shared/api/types";
import { aPage, aWebApp, aWorkload, liWei } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { StartAppButtons, SweepAppButton } from "./app-buttons";

const START = "POST /api/v1/app-sessions";
const TICKET = "POST /api/v1/app-sessions/session-1/tickets";

afterEach(() => vi.restoreAllMocks());

function show(
  routes: Record<string, unknown> = {},
  part: ReactElement = <StartAppButtons of={{ job: "job-1" }} />,
) {
  const tab = { close: vi.fn(), location: { replace: vi.fn() }, opener: window };
  vi.spyOn(window, "open").mockReturnValue(tab as never);
  const asked = serve({
    "GET /api/v1/apps": aPage([
      aWebApp(),
      aWebApp({ id: "app-3", name: "optuna-dashboard", title_en: "Optuna" }),
      aWebApp({ id: "app-2", name: "mlflow", title_en: "MLflow", is_active: false }),
    ]),
    [START]: aWorkload({ id: "session-1", kind: "app" }),
    [TICKET]: { url: "https://apps.example.org/open?ticket=t", expires_at: "2036-01-01T00:00:00Z" },
    ...routes,
  });
  renderPart(part);
  return { asked, tab };
}

it("starts the app and leads its tab there by a ticket", async () => {
  const { asked, tab } = show();
  await userEvent.click(await screen.findByRole("button", { name: "TensorBoard" }));
  await waitFor(() => expect(tab.location.replace).toHaveBeenCalled());
  expect(tab.location.replace).toHaveBeenCalledWith("https://apps.example.org/open?ticket=t");
  const start = asked.find(({ route }) => route === START);
  expect(start?.body).toEqual({ app: "tensorboard", job: "job-1" });
  expect(screen.queryByText("MLflow")).toBeNull();
});

it("says why it was not started, and closes the empty tab", async () => {
  const detail = "The image Python has no program tensorboard.";
  const { tab } = show({ [START]: () => problem(409, "image_lacks_program", { detail }) });
  await userEvent.click(await screen.findByRole("button", { name: "TensorBoard" }));
  expect(await screen.findByText(detail)).toBeTruthy();
  expect(tab.close).toHaveBeenCalled();
});

const ARRAY = { id: "array-1", owner: liWei, group: { id: "group-1" } } as unknown as JobArray;

it("opens Optuna where the tasks of an array search together, and no other app", async () => {
  const { asked } = show({}, <SweepAppButton array={ARRAY} />);
  await userEvent.click(await screen.findByRole("button", { name: "Optuna" }));
  expect(screen.queryByRole("button", { name: "TensorBoard" })).toBeNull();
  await waitFor(() => expect(asked.some(({ route }) => route === START)).toBe(true));
  const start = asked.find(({ route }) => route === START);
  const of = { home: true, group: "group-1", path: "sweeps/array-1" };
  expect(start?.body).toEqual({ app: "optuna-dashboard", ...of });
});

it("offers nothing on an array whose home is another person's", async () => {
  show(
    {},
    <>
      <SweepAppButton array={{ ...ARRAY, owner: { ...liWei, id: "user-2" } }} />
      <StartAppButtons of={{ job: "job-1" }} only="tensorboard" />
    </>,
  );
  expect(await screen.findByRole("button", { name: "TensorBoard" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Optuna" })).toBeNull();
});
