import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { SitePage } from "./site-page";

const SETTINGS = {
  time_zone: "Asia/Shanghai",
  currency: "CNY",
  carbon_g_per_kwh: [570],
  bounds: [],
  time_zones: ["Asia/Shanghai"],
};

it("takes one carbon factor or one for each hour, and refuses anything else", async () => {
  const asked = serve({
    "GET /api/v1/site-settings": SETTINGS,
    "PATCH /api/v1/site-settings": SETTINGS,
  });
  renderPart(<SitePage />, aMe({ platform_role: "platform_admin" }));
  const field = await screen.findByLabelText("Carbon factor");
  expect(field).toHaveProperty("value", "570");
  const save = () => userEvent.click(screen.getByRole("button", { name: "Save settings" }));

  fireEvent.change(field, { target: { value: "500, 400" } });
  await save();
  expect(await screen.findByText(/^Enter one whole number from 0 to 2000/)).toBeTruthy();
  expect(asked.some(({ body }) => body)).toBe(false);

  const day = Array.from({ length: 24 }, (_, hour) => 300 + hour);
  fireEvent.change(field, { target: { value: day.join(", ") } });
  await save();
  await waitFor(() =>
    expect(asked.find(({ body }) => body)?.body).toEqual({ carbon_g_per_kwh: day }),
  );
});
