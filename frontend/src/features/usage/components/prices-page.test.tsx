import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PricesPage } from "./prices-page";

const PRICE = {
  id: "price-1",
  model: "H100",
  valid_from: "2026-10-01",
  valid_until: null,
  hourly_micros: 12_500_000,
  currency: "CNY",
  may_remove: false,
};
const PRICES = { currency: "CNY", open_from: "2026-11-01", models: ["H100"], prices: [PRICE] };

it("lists prices to staff, who cannot change them", async () => {
  serve({ "GET /api/v1/gpu-prices": PRICES });
  renderPart(<PricesPage />, aMe({ platform_role: "auditor" }));
  expect(await screen.findByText("CN¥12.50")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^(Set|Remove)/ })).toBeNull();
});

it("sends a price in millionths, from the first open day", async () => {
  const asked = serve({
    "GET /api/v1/gpu-prices": PRICES,
    "POST /api/v1/gpu-prices": { ...PRICE, id: "price-2" },
  });
  renderPart(<PricesPage />, aMe({ platform_role: "platform_admin" }));
  await screen.findByText("CN¥12.50");
  await userEvent.click(screen.getByRole("button", { name: "Set a price" }));
  fireEvent.change(await screen.findByLabelText("GPU model"), { target: { value: "H100" } });
  fireEvent.change(screen.getByLabelText("Per GPU-hour"), { target: { value: "9.5" } });
  await userEvent.click(screen.getByRole("button", { name: "Set price" }));
  await waitFor(() => {
    const sent = asked.find(({ body }) => body);
    expect(sent?.body).toEqual({
      model: "H100",
      valid_from: "2026-11-01",
      hourly_micros: 9_500_000,
    });
  });
});
