import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderPart } from "@/testing/render";
import { SectionList } from "./long-form";
import { Panel } from "./page";

it("leads to a section, whose first field is reached next", async () => {
  const seen: string[] = [];
  Element.prototype.scrollIntoView = function scrolled(this: Element) {
    seen.push(this.id);
  };
  renderPart(
    <>
      <SectionList label="Sections" sections={[{ id: "money", title: "Money" }]} />
      <Panel title="Clock" id="clock">
        <input aria-label="zone" />
      </Panel>
      <Panel title="Money" id="money">
        <input aria-label="currency" />
      </Panel>
    </>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Money" }));
  expect(seen).toEqual(["money"]);
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "currency" }));
});
