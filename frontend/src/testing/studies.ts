/** What-if studies of the API from the few fields that a test is about. */
import type { Story, StudyDetail, StudyFindings } from "@/shared/api/types";

export function aStudyFindings(fields: Partial<StudyFindings> = {}): StudyFindings {
  const figures = { jobs: 40, mean_wait_s: 600, p99_wait_s: 3600, longest_wait_s: 7200 };
  const told = {
    ...figures,
    mean_completion_s: 5000,
    gpu_hours: 320,
    utilisation_permille: 812,
    evictions: 2,
    never_start: 0,
  };
  return {
    was: figures,
    today: told,
    changed: { ...told, mean_wait_s: 60 },
    groups: [
      {
        group: "vision",
        jobs: 40,
        jobs_changed: 40,
        mean_wait_s: 600,
        mean_wait_s_changed: 60,
        gpu_hours: 320,
        gpu_hours_changed: 320,
        evictions: 2,
        evictions_changed: 3,
      },
    ],
    curves: {
      today: [{ at_ms: 0, busy_permille: 800, waiting: 3 }],
      changed: [{ at_ms: 0, busy_permille: 900, waiting: 1 }],
    },
    ...fields,
  };
}

export function aStudy(fields: Partial<StudyDetail> = {}): StudyDetail {
  return {
    id: "study-1",
    title: "",
    scenario: "",
    asked_by: { id: "user-1", username: "olga", display_name: "Olga" },
    created_at: "2026-01-05T08:00:00Z",
    group: null,
    days: 14,
    change: { pools: {}, quotas: [], nodes: [{ like: "gpu-1", count: 2 }] },
    phase: "done",
    failure: "",
    started_at: "2026-01-05T08:00:01Z",
    ended_at: "2026-01-05T08:00:09Z",
    findings: aStudyFindings(),
    story: null,
    ...fields,
  };
}

/** What was found about the story: `given` stands in for single parts. */
export function aStory(given: Partial<Story> = {}): Story {
  const limit = {
    card_hours_per_card_day: 24,
    utilisation_pct: 89.3,
    tasks_per_week: 423,
    notebook_wait_s_max: 0,
  };
  const others = { task_hours_mean: 20, notebooks_without_a_card_per_week: 0 };
  return {
    before: {
      ...limit,
      ...others,
      card_hours_per_card_day: 14.41,
      utilisation_pct: 34.6,
      tasks_per_week: 160,
      evictions_per_week: 0,
    },
    after: {
      ...limit,
      ...others,
      card_hours_per_card_day: 23.7,
      utilisation_pct: 87.6,
      tasks_per_week: 416,
      evictions_per_week: 43,
    },
    limit,
    gpus: 32,
    people: 50,
    weeks: 2,
    curves: {
      before: [{ hour: 0, held: 20, busy: 10, waiting: 4 }],
      after: [{ hour: 0, held: 32, busy: 28, waiting: 60 }],
    },
    ...given,
  };
}
