import { expect, test } from "vitest";
import { aWebApp, aWorkload } from "@/testing/factories";
import { appForm, appInput, sameAgain } from "./app";

test("a form stands for the app that it was filled from", () => {
  const { id: _id, is_active: _isActive, version: _version, image, ...app } = aWebApp();
  expect(appInput(appForm(aWebApp()))).toEqual({ ...app, image: image.id });
});

test("a command has one argument a line, without empty ones", () => {
  const form = { ...appForm(aWebApp()), command: "mlflow\n\n  --x y \n" };
  expect(appInput(form).command).toEqual(["mlflow", "  --x y "]);
});

const app = { ...aWebApp(), name: "tensorboard" };

test.each([
  ["input", { job: "f-1" }],
  ["volume", { volume: "f-1", group: "group-1" }],
  ["home", { home: true, group: "group-1" }],
] as const)("an ended session of %s starts again on the same folder", (kind, of) => {
  const session = aWorkload({ kind: "app", app, shows: { kind, id: "f-1", path: "runs" } });
  const group = kind === "input" ? {} : { group: session.group.id };
  expect(sameAgain(session)).toEqual({ app: "tensorboard", path: "runs", ...of, ...group });
});

test("other work starts no app", () => {
  expect(sameAgain(aWorkload())).toBeNull();
});
