import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { renderPart } from "@/testing/render";
import { FieldInput, NativeSelect, SearchField, Segments, Tick } from "./controls";

it("searches by Enter, and as soon as it is emptied", async () => {
  const searched = vi.fn();
  function Searched() {
    const [text, setText] = useState("old");
    const search = (next: string) => {
      searched(next);
      setText(next);
    };
    return <SearchField label="Find" value={text} most={20} onSearch={search} />;
  }
  renderPart(<Searched />);
  const field = await screen.findByRole<HTMLInputElement>("searchbox", { name: "Find" });
  await userEvent.type(field, "er ");
  expect(searched).not.toHaveBeenCalled();
  await userEvent.keyboard("{Enter}");
  expect(searched).toHaveBeenLastCalledWith("older");
  expect(field.value).toBe("older");
  await userEvent.clear(field);
  expect(searched).toHaveBeenLastCalledWith("");
  expect(document.activeElement).toBe(field);
});

it("shows what the address says when that changes", async () => {
  function Stepped() {
    const [text, setText] = useState("one");
    return (
      <>
        <SearchField label="Find" value={text} onSearch={setText} />
        <button type="button" onClick={() => setText("two")}>
          Step
        </button>
      </>
    );
  }
  renderPart(<Stepped />);
  await userEvent.click(await screen.findByRole("button", { name: "Step" }));
  expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("two");
});

it("takes a line by Enter or on leaving it, once, and a day at once", async () => {
  const [line, day] = [vi.fn(), vi.fn()];
  renderPart(
    <>
      <FieldInput aria-label="Tag" value={undefined} onEnter={line} />
      <FieldInput aria-label="From" type="date" value="2026-11-01" onEnter={day} />
    </>,
  );
  await userEvent.type(await screen.findByRole("textbox", { name: "Tag" }), " vit ");
  expect(line).not.toHaveBeenCalled();
  await userEvent.tab();
  expect(line.mock.calls).toEqual([["vit"]]);
  await userEvent.clear(screen.getByLabelText("From"));
  expect(day).toHaveBeenLastCalledWith(undefined);
});

it("tells all, some and none apart, and chooses one of several", async () => {
  const [ticked, chosen, selected] = [vi.fn(), vi.fn(), vi.fn()];
  const options = ["map", "list"].map((value) => ({ value, label: value }));
  renderPart(
    <>
      <Tick isOn={false} isPartly label="All" onChange={ticked} />
      <Segments label="As" value="map" options={options} onChoose={chosen} />
      <NativeSelect label="Also as" value="map" options={options} onChoose={selected} />
    </>,
  );
  const box = await screen.findByRole<HTMLInputElement>("checkbox", { name: "All" });
  expect(box.indeterminate).toBe(true);
  await userEvent.click(box);
  expect(ticked).toHaveBeenCalledWith(true, false);
  expect(screen.getByRole("radiogroup", { name: "As" })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "map" }).checked).toBe(true);
  await userEvent.click(screen.getByRole("radio", { name: "list" }));
  expect(chosen).toHaveBeenCalledWith("list");
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Also as" }), "list");
  expect(selected).toHaveBeenCalledWith("list");
});
