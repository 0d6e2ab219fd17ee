import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { WelcomePanel } from "./welcome-panel";

it("ticks off what was done, leads to what is left, and can be hidden", async () => {
  serve({ "GET /api/v1/workloads": aPage([{}]), "GET /api/v1/ssh-keys": aPage([]) });
  const hide = vi.fn();
  renderPart(<WelcomePanel onHide={hide} />);
  expect(await screen.findByText("2 of 3 done")).toBeTruthy();
  expect(screen.getAllByLabelText("Done:")).toHaveLength(2);
  const link = screen.getByRole("link", { name: "Add an SSH key" });
  expect(link.getAttribute("href")).toBe("/ssh-keys");
  await userEvent.click(screen.getByRole("button", { name: "Hide" }));
  expect(hide).toHaveBeenCalled();
});

it("goes for good once all of it is done", async () => {
  serve({ "GET /api/v1/workloads": aPage([{}]), "GET /api/v1/ssh-keys": aPage([{}]) });
  const hide = vi.fn();
  renderPart(<WelcomePanel onHide={hide} />);
  await waitFor(() => expect(hide).toHaveBeenCalled());
  expect(screen.queryByText("First steps")).toBeNull();
});
