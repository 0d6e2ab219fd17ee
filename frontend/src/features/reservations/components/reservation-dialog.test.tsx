import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe, aPage, aPool } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ReservationDialog } from "./reservation-dialog";

const vision = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" };
const speech = { id: "group-2", name: "speech", title_en: "Speech", title_zh: "Speech" };
const RESERVE = "POST /api/v1/reservations";
const REQUEST = "POST /api/v1/approvals";

function show(platform_role: string) {
  const asked = serve({
    "GET /api/v1/groups": aPage([
      { ...vision, parent: null, role: "group_admin" },
      { ...speech, parent: null, role: "developer" },
    ]),
    "GET /api/v1/groups/group-1/members": [],
    "GET /api/v1/pools": aPage([aPool()]),
    [RESERVE]: () =>
      problem(422, "reservation_above_share", { detail: "Vision deserves 4 GPUs here." }),
    [REQUEST]: { id: "request-1" },
  });
  const onClosed: true[] = [];
  renderPart(<ReservationDialog onClose={() => onClosed.push(true)} />, aMe({ platform_role }));
  return { asked, onClosed };
}

const fill = async (field: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(field), { target: { value } });

async function choose(field: string, option: string) {
  await userEvent.click(await screen.findByLabelText(field));
  await userEvent.click(await screen.findByTitle(option));
}

it("requests what the group may not reserve by itself, with the reason", async () => {
  const { asked, onClosed } = show("");
  await fill("Name", "Finals");
  await choose("Group", "Vision");
  expect(screen.queryByTitle("Speech")).toBeNull();
  await choose("Pool", aPool().title_en);
  await fill("Amount", "6");
  const dialog = within(screen.getByRole("dialog"));
  await userEvent.click(dialog.getByRole("button", { name: "Reserve" }));
  expect(await screen.findByText("Vision deserves 4 GPUs here.")).toBeTruthy();
  await userEvent.click(dialog.getByRole("radio", { name: "Request" }));
  await fill("Reason", "exams");
  await userEvent.click(dialog.getByRole("button", { name: "Reserve" }));
  await waitFor(() => expect(onClosed).toHaveLength(1));
  expect(asked.find(({ route }) => route === REQUEST)?.body).toMatchObject({
    kind: "reservation",
    comment: "exams",
    reservation: { name: "Finals", group: "group-1", gpus: 6 },
  });
});

it("offers staff every group, and nothing to request", async () => {
  show("operator");
  await userEvent.click(await screen.findByLabelText("Group"));
  expect(await screen.findByTitle("Speech")).toBeTruthy();
  expect(screen.queryByRole("radio", { name: "Request" })).toBeNull();
});
