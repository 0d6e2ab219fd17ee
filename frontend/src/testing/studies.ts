/** What-if studies of the API from the few fields that a test is about. */
import type { StudyDetail, StudyFindings } from "@/shared/api/types";

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
    asked_by: { id: "user-1", username: "olga", display_name: "Olga" },
    created_at: "2026-01-05T08:00:00Z",
    days: 14,
    change: { pools: {}, quotas: [], nodes: [{ like: "gpu-1", count: 2 }] },
    phase: "done",
    failure: "",
    started_at: "2026-01-05T08:00:01Z",
    ended_at: "2026-01-05T08:00:09Z",
    findings: aStudyFindings(),
    ...fields,
  };
}
