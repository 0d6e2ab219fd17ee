import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderPart } from "@/testing/render";
import { useMessages } from "./messages";

function Part() {
  const messages = useMessages();
  return (
    <>
      <button type="button" onClick={() => messages.success("saved")}>
        save
      </button>
      <button type="button" onClick={() => messages.error("refused")}>
        remove
      </button>
    </>
  );
}

it("shows every message once, also those before its part is loaded", async () => {
  renderPart(<Part />);
  await userEvent.click(await screen.findByRole("button", { name: "save" }));
  await userEvent.click(screen.getByRole("button", { name: "remove" }));
  expect(await screen.findAllByText("saved")).toHaveLength(1);
  expect(await screen.findAllByText("refused")).toHaveLength(1);
});
