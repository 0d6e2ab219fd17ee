// @vitest-environment node
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptFor } from "./files";

const SHELLS = ["sh", "bash"].filter((shell) => existsSync(`/bin/${shell}`));
/** Each says its own name and what it was given, one word a line. */
const PROGRAM = `#!/bin/sh\nfor word in "\${0##*/}" "$@"; do printf '%s\\n' "$word"; done\n`;
const BYTES = "\uF7D6\uF7D0";
let home = "";
let programs = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "home-"));
  programs = mkdtempSync(join(tmpdir(), "programs-"));
});

afterEach(() => {
  for (const folder of [home, programs]) rmSync(folder, { recursive: true });
});

/** Put programs that only speak on the search path, and nothing else but what the script itself needs. */
function provide(...names: string[]) {
  for (const name of names) {
    writeFileSync(join(programs, name), PROGRAM);
    chmodSync(join(programs, name), 0o755);
  }
  for (const tool of ["head", "tr"]) {
    const found = ["/usr/bin", "/bin"].find((folder) => existsSync(join(folder, tool))) ?? "";
    symlinkSync(join(found, tool), join(programs, tool));
  }
}

function run(shell: string, file: string, search = programs): string {
  const env = { HOME: home, PATH: search };
  return execFileSync(`/bin/${shell}`, ["-c", scriptFor(file)], { env, encoding: "utf8" });
}

test.each(
  SHELLS.flatMap((shell) => [true, false].map((isExecutable) => ({ shell, isExecutable }))),
)(
  "a first line decides by its program and one option: $shell, $isExecutable",
  ({ shell, isExecutable }) => {
    provide("python3", "there");
    const own = join(programs, "there");
    for (const [line, words] of [
      [`#!${own}`, ["there"]],
      [`#! ${own} `, ["there"]],
      [`#!${own} -u`, ["there", "-u"]],
      [`#!\t${own}\t-S python3  -u "x"  `, ["there", '-S python3  -u "x"']],
      [`#!${own} a\\b $HOME $(exit) *`, ["there", "a\\b $HOME $(exit) *"]],
    ] as const)
      for (const end of ["\n", "\r\n", "\r", ""]) {
        const file = join(home, "a.sh");
        writeFileSync(file, `${line}${end}${end && `rest${end}`}`);
        chmodSync(file, isExecutable ? 0o755 : 0o644);
        expect(run(shell, "a.sh").split("\n")).toEqual([...words, "a.sh", ""]);
      }
  },
);

test.each(SHELLS)("without one the end of the name decides: %s", (shell) => {
  provide("python3", "Rscript", "julia", "sh");
  for (const [name, program] of [
    ["a.py", "python3"],
    ["a.R", "Rscript"],
    ["a.r", "Rscript"],
    ["a.jl", "julia"],
    ["a.sh", "sh"],
    ["a.constructor", "sh"],
    ["sh", "sh"],
  ] as const)
    for (const content of ["", "# a line\n", "\n#!/bin/false\n", "\u0000\u0001\n"]) {
      writeFileSync(join(home, name), content);
      expect(run(shell, name).split("\n")).toEqual([program, name, ""]);
    }
  writeFileSync(join(programs, "bash"), PROGRAM);
  chmodSync(join(programs, "bash"), 0o755);
  expect(run(shell, "a.sh").split("\n")[0]).toBe("bash");
});

test.each(SHELLS)("what bash alone understands is run by it: %s", (shell) => {
  const body = `set -euo pipefail\nparts=(a b)\n[[ \${parts[1]} == b ]] && echo "fine $0"\n`;
  for (const first of ["#!/bin/bash\n", "#!/usr/bin/env bash\n", "#! /bin/bash -e\n", ""]) {
    mkdirSync(join(home, "br"), { recursive: true });
    writeFileSync(join(home, "br/train.sh"), first + body);
    expect(run(shell, "br/train.sh", "/usr/bin:/bin")).toBe("fine br/train.sh\n");
  }
  writeFileSync(join(home, "u.py"), "#!/usr/bin/env -S sh -u\necho $-$UNSET\n");
  expect(() => run(shell, "u.py", "/usr/bin:/bin")).toThrow(/UNSET/);
});

test.each(SHELLS)("any name is one word, and no option: %s", (shell) => {
  provide("python3");
  for (const name of [
    "a b.py",
    "-c.py",
    "--version.py",
    "it's.py",
    '"$HOME" `id` \\ *?.py',
    "a\nb.py",
    "a\rb.py",
    "\u8bad\u7ec3.py",
    "-/x.py",
  ]) {
    mkdirSync(join(home, "-"), { recursive: true });
    writeFileSync(join(home, name), "");
    const shown = name.startsWith("-") ? `./${name}` : name;
    expect(run(shell, name)).toBe(`python3\n${shown}\n`);
  }
});

test.each(SHELLS)("a name that is no UTF-8 is run by its bytes: %s", (shell) => {
  provide();
  writeFileSync(
    Buffer.concat([Buffer.from(`${home}/`), Buffer.from([0xd6, 0xd0]), Buffer.from(".sh")]),
    ["#!/bin/sh\n", 'printf %s "$0" >"$HOME/said"\n'].join(""),
  );
  run(shell, `${BYTES}.sh`);
  expect([...readFileSync(join(home, "said"))]).toEqual([0xd6, 0xd0, ...Buffer.from(".sh")]);
});

test.each(SHELLS)("its exit code is that of the script: %s", (shell) => {
  writeFileSync(join(home, "a.sh"), "exit 7\n");
  expect(() => run(shell, "a.sh", "/usr/bin:/bin")).toThrow(expect.objectContaining({ status: 7 }));
  expect(() => run(shell, "gone.sh", "/usr/bin:/bin")).toThrow(/gone\.sh/);
});

test.each(SHELLS)("a notebook is named to papermill and nbconvert as one word: %s", (shell) => {
  for (const tools of [["papermill"], ["jupyter"]]) {
    provide(...tools);
    const said = execFileSync(`/bin/${shell}`, ["-c", scriptFor("-a b/it's.ipynb")], {
      env: { HOME: home, PATH: programs, BERTH_OUTPUT_DIR: "/out" },
      encoding: "utf8",
    });
    expect(said.split("\n")).toContain("./-a b/it's.ipynb");
    rmSync(programs, { recursive: true });
    mkdirSync(programs);
  }
});
