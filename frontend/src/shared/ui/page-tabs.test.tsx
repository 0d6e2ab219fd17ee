import { useLocation } from "@tanstack/react-router";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderPart } from "@/testing/render";
import { PageTabs } from "./page-tabs";

const TABS = ["log", "events", "details"].map((key) => ({
  key,
  label: `The ${key}`,
  content: <p>content of {key}</p>,
}));

function Place() {
  return <output aria-label="place">{useLocation().searchStr}</output>;
}

function show(tabs = TABS) {
  renderPart(
    <>
      <PageTabs label="Parts" tabs={tabs} own={["path"]} />
      <Place />
    </>,
  );
}

const place = () => screen.getByLabelText("place").textContent;

it("shows the tab that is pressed, mounts no other, and writes it into the address", async () => {
  show();
  expect(await screen.findByText("content of log")).toBeTruthy();
  expect(place()).toBe("");
  await userEvent.click(screen.getByRole("tab", { name: "The details" }));
  expect(await screen.findByText("content of details")).toBeTruthy();
  expect(screen.queryByText("content of log")).toBeNull();
  expect(place()).toBe("?tab=details");
  expect(screen.getByRole("tab", { selected: true }).textContent).toBe("The details");
  expect(screen.getByRole("tabpanel", { name: "The details" })).toBeTruthy();
  await userEvent.click(screen.getByRole("tab", { name: "The log" }));
  expect(await screen.findByText("content of log")).toBeTruthy();
  expect(place()).toBe("");
});

it("is one stop of the keyboard, whose arrows go round", async () => {
  show();
  await screen.findByText("content of log");
  screen.getByRole("tab", { name: "The log" }).focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(await screen.findByText("content of details")).toBeTruthy();
  expect(document.activeElement?.textContent).toBe("The details");
  await userEvent.keyboard("{ArrowRight}{ArrowRight}");
  expect(await screen.findByText("content of events")).toBeTruthy();
  expect(screen.getAllByRole("tab").map((tab) => tab.tabIndex)).toEqual([-1, 0, -1]);
});

it("links to every tab by an address of its own", async () => {
  show();
  await screen.findByText("content of log");
  const addresses = screen.getAllByRole("tab").map((tab) => tab.getAttribute("href"));
  expect(addresses).toEqual(["/", "/?tab=events", "/?tab=details"]);
});

it("has no tab where there is one part only", async () => {
  show(TABS.slice(0, 1));
  expect(await screen.findByText("content of log")).toBeTruthy();
  expect(screen.queryByRole("tab")).toBeNull();
});
