import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { Newcomer } from "./first-steps";
import { WelcomePanel } from "./welcome-panel";

const ROUTE = "GET /api/v1/first-steps";

beforeEach(() => localStorage.clear());

function show(ssh_key: boolean) {
  const asked = serve({ [ROUTE]: { notebook: true, job: true, ssh_key } });
  const { unmount } = renderPart(
    <Newcomer List={WelcomePanel}>
      <p>Nothing here</p>
    </Newcomer>,
  );
  return { asked, unmount };
}

it("ticks off what was done, leads to what is left, and can be hidden, all by one request", async () => {
  const { asked } = show(false);
  expect(await screen.findByText("2 of 3 done")).toBeTruthy();
  expect(screen.getAllByLabelText("Done:")).toHaveLength(2);
  const link = screen.getByRole("link", { name: "Add an SSH key" });
  expect(link.getAttribute("href")).toBe("/ssh-keys");
  expect(asked.map(({ route }) => route)).toEqual([ROUTE]);
  await userEvent.click(screen.getByRole("button", { name: "Hide" }));
  expect(screen.queryByText("First steps")).toBeNull();
  expect(screen.getByText("Nothing here")).toBeTruthy();
});

it("goes for good once all of it is done, and asks no more", async () => {
  const { asked, unmount } = show(true);
  await waitFor(() => expect(localStorage.getItem("berth.welcome")).toBe("hidden"));
  expect(screen.queryByText("First steps")).toBeNull();
  expect(asked).toHaveLength(1);
  unmount();
  const again = show(true);
  expect(await screen.findByText("Nothing here")).toBeTruthy();
  expect(again.asked).toHaveLength(0);
});
