import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { QuotaHelp } from "./quota-help";

it("explains all words of quotas, and leads to the guide", async () => {
  serve({});
  renderPart(<QuotaHelp what="Quota" />);
  await userEvent.click(await screen.findByRole("button", { name: "About: Quota" }));
  const words = within(await screen.findByRole("group", { name: "About: Quota" }));
  const terms = words.getAllByRole("term").map(({ textContent }) => textContent);
  expect(terms).toEqual([
    "Guarantee",
    "Deserved",
    "Ceiling",
    "Ceiling per member",
    "Borrowed",
    "Weight",
  ]);
  expect(words.getByText(/given back when those who deserve it/)).toBeTruthy();
  const guide = words.getByRole("link", { name: "More in the guide" });
  expect(guide.getAttribute("href")).toBe("/help/users/quotas");
});

it("explains one word alone, in the language of its reader", async () => {
  await speak("zh-CN");
  serve({});
  renderPart(<QuotaHelp what="权重" term="weight" />);
  await userEvent.click(await screen.findByRole("button", { name: "说明：权重" }));
  const words = within(await screen.findByRole("group", { name: "说明：权重" }));
  expect(words.getAllByRole("term").map(({ textContent }) => textContent)).toEqual(["权重"]);
});
