import { expect, test } from "vitest";
import {
  filesOf,
  fileValues,
  isMountName,
  mountNameOf,
  parametersIn,
  programsOf,
  runIn,
  scriptFor,
  withOutputsOf,
} from "./files";

test("the default is not sent", () => {
  expect(filesOf({})).toEqual({});
  expect(filesOf({ home: true, volumes: [], inputs: [undefined, {}] })).toEqual({});
  expect(filesOf({ home: false, volumes: ["a"], inputs: [{ job: "1", name: " x " }] })).toEqual({
    home: false,
    volumes: ["a"],
    inputs: [{ job: "1", name: "x" }],
  });
});

test("a job's name becomes that of a folder", () => {
  expect(mountNameOf("Nightly run 2")).toBe("nightly-run-2");
  expect(mountNameOf("训练")).toBe("job"); // locale-check: a name in another script
  expect(mountNameOf("--a--")).toBe("a");
  for (const name of ["Nightly run 2", "x".repeat(90), "-", "a b"])
    expect(isMountName(mountNameOf(name))).toBe(true);
});

test("outputs are added once, under a name of their own", () => {
  const job = { id: "0123456789abcdef", name: "train" };
  const once = withOutputsOf({}, job);
  expect(once.inputs).toEqual([{ job: job.id, name: "train" }]);
  expect(withOutputsOf(once, job)).toBe(once);
  const other = withOutputsOf(once, { id: "x-aaaaaaaa", name: "Train" });
  expect(other.inputs?.[1]).toEqual({ job: "x-aaaaaaaa", name: "train-aaaaaaaa" });
});

test("a form repeats the files of a submission, and nothing that it does not name", () => {
  const files = { home: false, volumes: ["shared"], inputs: [] };
  expect(fileValues(files)).toEqual(files);
  expect(fileValues({})).toEqual({});
});

test("programs are found among files, the newest first, some tens of them", () => {
  const file = (path: string, day: number, kind = "file") => {
    return { path, kind, modified_at: `2026-03-${String(day).padStart(2, "0")}T09:00:00Z` };
  };
  expect(programsOf([file("a.R", 1), file("a.jl", 2), file("a.bash", 3)])).toHaveLength(3);
  const files = [file("old.py", 1), file("lab/x.ipynb", 3), file("run.sh", 2), file("a.txt", 4)];
  expect(programsOf([...files, file("src.py", 5, "folder")])).toEqual([
    "lab/x.ipynb",
    "run.sh",
    "old.py",
  ]);
  expect(programsOf(Array.from({ length: 90 }, () => file("a.py", 1)))).toHaveLength(50);
});

test("a notebook gets its parameters by papermill, each as one word of the shell", () => {
  const given = parametersIn("epochs = 10\n\ntitle=it's a run\n");
  expect(given).toEqual([
    { name: "epochs", value: "10" },
    { name: "title", value: "it's a run" },
  ]);
  const script = scriptFor("lab/study.ipynb", given ?? []);
  expect(script).toContain(
    `papermill --log-output --cwd 'lab' -p epochs '10' -p title 'it'\\''s a run' 'lab/study.ipynb' "$BERTH_OUTPUT_DIR"/'study.ipynb'`,
  );
  expect(script).not.toContain("nbconvert");
  expect(scriptFor("study.ipynb", given ?? [])).toContain("papermill --log-output -p epochs");
  expect(scriptFor("a/b c/x.ipynb")).toContain(
    "papermill --log-output --cwd 'a/b c' 'a/b c/x.ipynb'",
  );
  expect(parametersIn("")).toEqual([]);
  expect(parametersIn("no value")).toBeNull();
  expect(parametersIn("1st=x")).toBeNull();
});

test.each([
  ["train.py", []],
  ["lab/it's here.sh", []],
  ["-odd.py", []],
  ["study.ipynb", []],
  ["lab/study.ipynb", []],
  [
    "lab/study.ipynb",
    [
      { name: "epochs", value: "10" },
      { name: "title", value: "it's 1 -p x" },
    ],
  ],
] as const)("what a script runs is read from it: %s", (file, parameters) => {
  expect(runIn(scriptFor(file, parameters))).toEqual({ file, parameters });
});

test("a script that somebody has written names no file", () => {
  expect(runIn("python3 train.py")).toBeNull();
  expect(runIn(`${scriptFor("train.py")}echo done\n`)).toBeNull();
});
