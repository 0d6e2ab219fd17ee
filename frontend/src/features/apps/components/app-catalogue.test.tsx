import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { WebApp } from "@/shared/api/types";
import { anImage, aPage, aWebApp } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { AppCatalogue } from "./app-catalogue";

const MISSING = /^Cannot be started: this platform has no host names/;

const {
  id: _,
  image: __,
  is_active: ___,
  ...PRESET
} = aWebApp({
  name: "mlflow",
  title_en: "MLflow",
  command: ["mlflow", "--port={port}"],
  memory_mib: 2048,
});

async function fillFromPreset(served_at: WebApp["served_at"], hasHosts: boolean) {
  serve({
    "GET /api/v1/apps": aPage([]),
    "GET /api/v1/app-presets": { presets: [{ ...PRESET, served_at }] },
    "GET /api/v1/config": { has_apps_hosts: hasHosts },
    "GET /api/v1/images": aPage([anImage({ id: "image-1", title_en: "With MLflow" })]),
  });
  renderPart(<AppCatalogue />);
  await userEvent.click(await screen.findByRole("button", { name: "Add an app" }));
  await userEvent.click(await screen.findByRole("combobox", { name: "Preset" }));
  await userEvent.click(await screen.findByTitle("MLflow"));
}

it("fills a new app from a preset and leaves the image to choose", async () => {
  await fillFromPreset("base_path", false);

  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("mlflow");
  const command = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Command" });
  expect(command.value).toBe("mlflow\n--port={port}");
  expect(screen.queryByTitle("With MLflow")).toBeNull();
  expect(screen.getByTitle("A path that the app keeps")).toBeTruthy();
  expect(screen.queryByText(MISSING)).toBeNull();
});

it.each([true, false])("says what an app with a host of its own lacks: %s", async (hasHosts) => {
  await fillFromPreset("host", hasHosts);
  expect(await screen.findByTitle("A host name of its own")).toBeTruthy();
  await waitFor(() => expect(screen.queryByText(MISSING) === null).toBe(hasHosts));
});

it("marks an offered app that cannot be started for want of a host", async () => {
  serve({
    "GET /api/v1/apps": aPage([aWebApp({ served_at: "host" })]),
    "GET /api/v1/config": { has_apps_hosts: false },
  });
  renderPart(<AppCatalogue />);
  expect(await screen.findByText(MISSING)).toBeTruthy();
});
