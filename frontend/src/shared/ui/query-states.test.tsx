import { useMutation } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Form, Input } from "antd";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { renderPart } from "@/testing/render";
import { EntityDialog } from "./entity-dialog";
import { bothOf, Loading, ProblemAlert, QueryBoundary, type QueryLike } from "./query-states";

const error = new ProblemError(readProblem(503, { code: "busy", detail: "Busy now." }, "r-1"));

function query(fields: Partial<QueryLike<string[]>>): QueryLike<string[]> {
  return { data: undefined, isPending: false, error: null, refetch: vi.fn(), ...fields };
}

function show(shown: QueryLike<string[]>, canRetry = true) {
  renderPart(
    <QueryBoundary query={shown} canRetry={canRetry}>
      {(names) => <p>{names.join()}</p>}
    </QueryBoundary>,
  );
}

it("waits, then shows what was found", async () => {
  show(query({ isPending: true }));
  expect(await screen.findByRole("status")).toBeTruthy();
  show(query({ data: ["ada", "bo"] }));
  expect(await screen.findByText("ada,bo")).toBeTruthy();
});

it("holds back what stands below in a stack, however deep it is, until it is there", async () => {
  renderPart(<TwoWaits />);
  const above = await screen.findByTestId("above");
  expect(above.getAttribute("data-waits")).toBe("2");
  fireEvent.click(above);
  expect(above.getAttribute("data-waits")).toBe("1");
  fireEvent.click(above);
  expect(above.getAttribute("data-waits")).toBeNull();
});

/** A part of a page that waits for two things; a click lets one arrive. */
function TwoWaits() {
  const [waits, setWaits] = useState(2);
  return (
    <div className="stack">
      <button type="button" data-testid="above" onClick={() => setWaits(waits - 1)}>
        {waits > 0 && <Loading />}
        <span>{waits > 1 && <Loading />}</span>
      </button>
    </div>
  );
}

it("shows why it failed, and fetches again where that is offered", async () => {
  const failed = query({ error });
  show(failed);
  fireEvent.click(await screen.findByText("Try again", { selector: "button *" }));
  expect(failed.refetch).toHaveBeenCalledOnce();
});

it("offers no retry where the page has its own", async () => {
  show(query({ error }), false);
  expect(await screen.findByText("Busy now.")).toBeTruthy();
  expect(screen.queryByText("Try again")).toBeNull();
});

it("keeps a list that is there while its renewal fails", async () => {
  show(query({ data: ["ada"], error }));
  expect(await screen.findByText("ada")).toBeTruthy();
  expect(screen.queryByText("Busy now.")).toBeNull();
});

it("does not say again what the fields of a form say already", async () => {
  const errors = [
    { pointer: "/grace_s", code: "too_large", detail: "At most 239." },
    { pointer: "", code: "odd", detail: "Odd as a whole." },
  ];
  const refused = (fields: object) =>
    new ProblemError(readProblem(400, { detail: "Some fields are wrong.", ...fields }, ""));
  const form = {
    getFieldsError: () => [{ name: ["grace_s"], errors: ["At most 239."], warnings: [] }],
  };
  renderPart(<ProblemAlert error={refused({ errors: errors.slice(0, 1) })} form={form} />);
  expect(await screen.findByText("Correct the marked fields.")).toBeTruthy();
  renderPart(<ProblemAlert error={refused({ errors })} form={form} />);
  expect(await screen.findByText(/Odd as a whole/)).toBeTruthy();
  expect(screen.getByText("Some fields are wrong.")).toBeTruthy();
  expect(screen.queryByText(/At most 239/)).toBeNull();
});

it("says a refusal in a dialog until its field is changed, and keeps the marks of others", async () => {
  const errors = ["name", "note"].map((field) => {
    return { pointer: `/${field}`, code: "odd", detail: `Odd ${field}.` };
  });
  const refused = new ProblemError(readProblem(409, { detail: "Odd.", errors }, ""));
  const NameDialog = () => (
    <EntityDialog<{ name?: string; note?: string }, object>
      title="New"
      action="Save"
      initial={{}}
      save={useMutation<unknown, Error, object>({ mutationFn: () => Promise.reject(refused) })}
      bodyOf={(fields) => fields}
      onClose={() => {}}
    >
      {["name", "note"].map((field) => (
        <Form.Item key={field} name={field} label={field}>
          <Input />
        </Form.Item>
      ))}
    </EntityDialog>
  );
  renderPart(<NameDialog />);
  await userEvent.click(await screen.findByRole("button", { name: "Save" }));
  expect(await screen.findByText("Correct the marked fields.")).toBeTruthy();
  expect(await screen.findByText("Odd name.")).toBeTruthy();
  await userEvent.type(screen.getByLabelText("name"), "a");
  expect(screen.queryByText("Correct the marked fields.")).toBeNull();
  await waitFor(() => expect(screen.queryByText("Odd name.")).toBeNull());
  expect(screen.getByText("Odd note.")).toBeTruthy();
});

it("asks before a dialog drops what was typed, and closes at once where nothing was", async () => {
  const close = vi.fn();
  const dialog = (
    <EntityDialog<{ name?: string }, object>
      title="New"
      action="Save"
      initial={{}}
      save={{ mutate: () => {}, isPending: false, error: null, reset: () => {} }}
      bodyOf={(fields) => fields}
      onClose={close}
    >
      <Form.Item name="name" label="name">
        <Input />
      </Form.Item>
    </EntityDialog>
  );
  const { unmount } = renderPart(dialog);
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(close).toHaveBeenCalledTimes(1);
  unmount();

  renderPart(dialog);
  await userEvent.type(await screen.findByLabelText("name"), "a");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(close).toHaveBeenCalledTimes(1);
  await userEvent.click(await screen.findByRole("button", { name: "Keep editing" }));
  expect(screen.getByLabelText<HTMLInputElement>("name").value).toBe("a");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Discard and leave" }));
  expect(close).toHaveBeenCalledTimes(2);
});

it("calls fields as forms do, and cells of files by row and column", async () => {
  const errors = [
    { pointer: "/gpus", code: "min_value", detail: "Enter 0 or more." },
    { pointer: "/rows/2/ceiling", code: "quota_order", detail: "At least 3." },
    { pointer: "/rows/3/", code: "csv_too_long", detail: "Too long." },
    { pointer: "/members/1/user", code: "not_member", detail: "No member." },
    { pointer: "/changes/0", code: "quota_changed", detail: "Changed." },
  ];
  const refused = new ProblemError(readProblem(422, { detail: "Refused.", errors }, ""));
  renderPart(<ProblemAlert error={refused} />);
  await screen.findByText("Refused.");
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "GPUs: Enter 0 or more.",
    "Row 2, ceiling: At least 3.",
    "Row 3: Too long.",
    "Members 2, Person: No member.",
    "Changes 1: Changed.",
  ]);
});

it("has the data of two queries once both have theirs", () => {
  const one = query({ data: ["ada"] });
  expect(bothOf(one, query({ isPending: true }))).toMatchObject({ isPending: true });
  expect(bothOf(one, query({ error }))).toMatchObject({ data: undefined, error });
  expect(bothOf(one, query({ data: [] })).data).toEqual([["ada"], []]);
});
