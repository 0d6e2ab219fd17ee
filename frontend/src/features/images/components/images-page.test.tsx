import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe, anImage, aPage } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ImagesPage } from "./images-page";

const python = anImage({ id: "image-1", reference: "berth/python:1" });
const old = anImage({
  id: "image-2",
  name: "torch-1",
  title_en: "Old PyTorch",
  reference: "berth/torch:1",
  is_active: false,
});

function show(routes: Record<string, unknown> = {}, role = "platform_admin") {
  const asked = serve({ "GET /api/v1/images": aPage([python, old]), ...routes });
  renderPart(<ImagesPage />, aMe({ platform_role: role }));
  return asked;
}

/** By label or words: looking for roles in a page of forms takes seconds. */
async function fill(name: string, text: string) {
  fireEvent.change(await screen.findByLabelText(name), { target: { value: text } });
}

async function press(words: string) {
  fireEvent.click(await screen.findByText(words, { selector: "button *" }));
}

it("withdraws an image after a question that says what it means", async () => {
  const route = "PATCH /api/v1/images/image-1";
  const asked = show({ [route]: { ...python, is_active: false } });
  fireEvent.click(await screen.findByLabelText("Withdraw python"));
  expect(await screen.findByText(/Running work is not affected/)).toBeTruthy();
  await press("Yes, withdraw");
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({ is_active: false }),
  );
  await waitFor(() =>
    expect(asked.filter(({ route: one }) => one.startsWith("GET")).length).toBe(2),
  );
  expect(screen.getByText("Withdrawn")).toBeTruthy();
  expect(screen.getByLabelText("Offer torch-1 again")).toBeTruthy();
});

it("adds an image, and says at its field what the server refuses", async () => {
  const route = "POST /api/v1/images";
  const refusal = { pointer: "/reference", code: "invalid", detail: "No engine could name this." };
  const asked = show({ [route]: () => problem(422, "invalid", { errors: [refusal] }) });
  await press("Add image");
  await fill("Name", "torch-2.9");
  await fill("Title in English", "PyTorch 2.9");
  await fill("Title in Chinese", "PyTorch 2.9");
  await fill("Reference", "example.org/torch:2.9");
  await press("Save image");
  expect(await screen.findByText("No engine could name this.")).toBeTruthy();
  expect(asked.find((one) => one.route === route)?.body).toEqual({
    name: "torch-2.9",
    title_en: "PyTorch 2.9",
    title_zh: "PyTorch 2.9",
    description_en: "",
    description_zh: "",
    reference: "example.org/torch:2.9",
    for_environments: false,
    for_training: true,
  });
});

it("changes an image, whose name stays", async () => {
  const route = "PATCH /api/v1/images/image-1";
  const asked = show({ [route]: python });
  fireEvent.click(await screen.findByLabelText("Edit python"));
  expect(await screen.findByLabelText("Name")).toHaveProperty("disabled", true);
  await fill("Title in English", "Python 3");
  await press("Save image");
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({
      title_en: "Python 3",
      title_zh: python.title_zh,
      description_en: python.description_en,
      description_zh: python.description_zh,
      reference: "berth/python:1",
      for_environments: true,
      for_training: true,
    }),
  );
});

it("lets others look only, without references", async () => {
  show({ "GET /api/v1/images": aPage([anImage()]) }, "operator");
  expect(await screen.findByText("Plain Python")).toBeTruthy();
  expect(screen.queryByText("Add image")).toBeNull();
  expect(screen.queryByText("Reference")).toBeNull();
});
