import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { anImage, aPage, aWebApp } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { AppCatalogue } from "./app-catalogue";

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

it("fills a new app from a preset and leaves the image to choose", async () => {
  serve({
    "GET /api/v1/apps": aPage([]),
    "GET /api/v1/app-presets": { presets: [PRESET] },
    "GET /api/v1/images": aPage([anImage({ id: "image-1", title_en: "With MLflow" })]),
  });
  renderPart(<AppCatalogue />);
  await userEvent.click(await screen.findByRole("button", { name: "Add an app" }));
  await userEvent.click(await screen.findByRole("combobox", { name: "Preset" }));
  await userEvent.click(await screen.findByTitle("MLflow"));

  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("mlflow");
  const command = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Command" });
  expect(command.value).toBe("mlflow\n--port={port}");
  expect(screen.queryByTitle("With MLflow")).toBeNull();
});
