import { expect, it } from "vitest";
import type { FieldRule, SubmissionRules } from "@/shared/api/types";
import { fittedOf, ruleRows, rulesBody, withRules } from "./templates";

const RULE: FieldRule = {
  field: "launcher",
  default: "torchrun",
  is_locked: false,
  is_required: false,
  min: null,
  max: null,
  choices: null,
  sources: [],
};

const RULES: SubmissionRules = {
  defaults: { cpu_milli: 2000, home: false },
  locked: ["home"],
  required: ["datasets", "gpus"],
  ranges: { memory_mib: { max: 4096 } },
  choices: { image: ["python"] },
  version: 3,
  changed_at: null,
  changed_by: null,
  may_change: true,
  rule_fields: ["gpus", "cpu_milli", "memory_mib", "image", "home"],
  above: [],
};

it("says what a form leaves out where a rule has another default", () => {
  expect(withRules({ gpus: 1 }, [RULE])).toEqual({ gpus: 1, launcher: "plain" });
  expect(withRules({ gpus: 1, launcher: "mpi" }, [RULE])).toEqual({ gpus: 1, launcher: "mpi" });
});

it("leaves what is locked to the server", () => {
  const locked = { ...RULE, is_locked: true };
  expect(withRules({ gpus: 1, launcher: "mpi" }, [locked])).toEqual({ gpus: 1 });
});

it("holds rules in the units of forms and gives them back as they were", () => {
  const rows = ruleRows(RULES);
  expect(rows.cpu_milli?.value).toBe(2);
  expect(rows.memory_mib?.max).toBe(4);
  expect(rows.home).toMatchObject({ mode: "locked", value: false });

  const { defaults, locked, required, ranges, choices } = RULES;
  const body = rulesBody(rows, RULES);
  expect({ ...body, required: body.required?.toSorted() }).toEqual({
    ...{ defaults, locked, ranges, choices },
    required: required.toSorted(),
  });
});

it("drops rules that were emptied", () => {
  const rows = { cpu_milli: { mode: "open", value: null, min: 0.5 } as const };
  expect(rulesBody(rows, { ...RULES, required: [] })).toMatchObject({
    defaults: {},
    locked: [],
    required: [],
    ranges: { cpu_milli: { min: 500 } },
    choices: {},
  });
});

it("moves numbers into their ranges", () => {
  const bounded = { ...RULE, field: "time_limit_s", default: null, min: 600, max: 3600 };
  expect(fittedOf({ time_limit_s: 7200 }, [bounded])).toEqual({ time_limit_s: 3600 });
  expect(fittedOf({ time_limit_s: 60 }, [bounded])).toEqual({ time_limit_s: 600 });
  expect(fittedOf({ time_limit_s: 900 }, [bounded])).toEqual({});
  expect(fittedOf(null, [bounded])).toEqual({});
});
