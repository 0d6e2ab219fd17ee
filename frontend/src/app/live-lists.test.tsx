import { act, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useSessions } from "@/features/account/api/security";
import { useApps } from "@/features/apps/api/apps";
import { useAllDatasets } from "@/features/datasets/api/datasets";
import { useDirectories } from "@/features/directories/api/directories";
import { useSavedImages } from "@/features/images/api/saved-images";
import { useCardUse } from "@/features/operations/api/operations";
import { usePeople } from "@/features/people/api/people";
import { usePolicy, usePolicyHistory } from "@/features/policy/api/policy";
import { useQuotaHistory } from "@/features/quotas/api/quota-changes";
import { useBudgets, useFairShare, useMemberLimits } from "@/features/quotas/api/quotas";
import { useSiteSettings } from "@/features/site/api/site";
import { useStudies, useStudy } from "@/features/studies/api/studies";
import { useTokens } from "@/features/tokens/api/tokens";
import { useClusterWeeks, useReport, useUsage, useWaits } from "@/features/usage/api/usage";
import { useGroups, useImages, usePrices, useQuotas } from "@/shared/cluster/api/cluster";
import { useSecrets, useSshKeys } from "@/shared/cluster/api/credentials";
import { useGroupLimits } from "@/shared/cluster/api/limits";
import { useVolumes } from "@/shared/cluster/api/volumes";
import { LiveSocket } from "@/shared/live/socket";
import { useTemplates } from "@/shared/submission/api/templates";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

const PAGE = { results: [], next: null };
const DAYS = { first_day: "2030-05-01", last_day: "2030-05-31" };

it.each([
  ["people", "user", "/api/v1/users", PAGE, () => usePeople({})],
  ["directories", "directory", "/api/v1/directories", PAGE, () => useDirectories()],
  ["own sessions", "user", "/_allauth/browser/v1/auth/sessions", {}, () => useSessions()],
  ["members of groups", "group", "/api/v1/users", PAGE, () => usePeople({})],
  ["groups", "group", "/api/v1/groups", PAGE, () => useGroups()],
  ["images", "image", "/api/v1/images", PAGE, () => useImages()],
  ["saved images", "image", "/api/v1/saved-images", PAGE, () => useSavedImages()],
  ["apps", "web_app", "/api/v1/apps", PAGE, () => useApps()],
  ["data sets", "dataset", "/api/v1/datasets", PAGE, () => useAllDatasets()],
  ["volumes", "volume", "/api/v1/volumes", PAGE, () => useVolumes()],
  ["templates", "template", "/api/v1/job-templates", PAGE, () => useTemplates("training")],
  ["quotas", "quota", "/api/v1/quotas", [], () => useQuotas(null)],
  ["budgets", "budget", "/api/v1/budgets", [], () => useBudgets()],
  ["spent money", "usage", "/api/v1/budgets", [], () => useBudgets()],
  ["history of quotas", "quota", "/api/v1/quota-changes", PAGE, () => useQuotaHistory()],
  ["tokens", "token", "/api/v1/tokens", PAGE, () => useTokens()],
  ["SSH keys", "ssh_key", "/api/v1/ssh-keys", PAGE, () => useSshKeys()],
  ["secrets", "secret", "/api/v1/secrets", PAGE, () => useSecrets()],
  ["settings", "site", "/api/v1/site-settings", {}, () => useSiteSettings()],
  ["rules of a pool", "pool", "/api/v1/pools/p1/policy", {}, () => usePolicy("p1")],
  [
    "history of a pool's rules",
    "pool",
    "/api/v1/pools/p1/policy-changes",
    PAGE,
    () => usePolicyHistory("p1"),
  ],
  ["studies", "study", "/api/v1/studies", PAGE, () => useStudies()],
  ["a study", "study", "/api/v1/studies/s1", { phase: "running" }, () => useStudy("s1")],
  ["usage", "usage", "/api/v1/usage", { rows: [] }, () => useUsage(DAYS)],
  ["waits", "usage", "/api/v1/usage/waits", { rows: [] }, () => useWaits(DAYS)],
  ["a report", "usage", "/api/v1/usage/report", {}, () => useReport("2026-11", undefined)],
  ["weeks", "usage", "/api/v1/usage/weeks", { weeks: [] }, () => useClusterWeeks()],
  ["prices", "price", "/api/v1/gpu-prices", {}, () => usePrices()],
  ["limits of groups", "group", "/api/v1/group-limits", [], () => useGroupLimits()],
  ["limits of members", "member_limit", "/api/v1/member-limits", [], () => useMemberLimits()],
])("shows what somebody else changes in %s within two seconds", async (...row) => {
  const [, kind, path, answer, useList] = row;
  const asked = await afterChange(`changed:${kind}`, { [`GET ${path}`]: answer }, useList);
  expect(asked).toEqual([`GET ${path}`, `GET ${path}`]);
});

it("fetches once again what several parts of a page wait for together", async () => {
  const routes = {
    "GET /api/v1/usage": { rows: [] },
    "GET /api/v1/usage/waits": { rows: [] },
    "GET /api/v1/usage/weeks": { weeks: [] },
  };
  const asked = await afterChange("changed:usage", routes, () => {
    useUsage(DAYS);
    useWaits(DAYS);
    useClusterWeeks();
  });
  expect(asked.toSorted()).toEqual([...Object.keys(routes), ...Object.keys(routes)].toSorted());
});

it("reads the standing in fair share once for all the work that begins and ends in some seconds", async () => {
  const routes = {
    "GET /api/v1/fair-share": { groups: [] },
    "GET /api/v1/pools": { results: [{ id: "p1" }], next: null },
  };
  const asked = await afterChange("pool:p1", routes, () => useFairShare(), 4);
  const again = "GET /api/v1/fair-share";
  expect(asked.toSorted()).toEqual([again, ...Object.keys(routes)]);
});

it("renews the shades of the overview's board less often than nodes report", async () => {
  const values = "GET /api/v1/card-map/values";
  const asked = await afterChange("cards", { [values]: {} }, () => useCardUse("order"), 10);
  expect(asked).toEqual([values, values]);
});

/** Show lists, ring a topic, and return all that was asked until two seconds after the last time. */
async function afterChange(
  topic: string,
  routes: Record<string, unknown>,
  useLists: () => unknown,
  times = 1,
) {
  const topics: string[] = [];
  const wire = {
    onopen: () => {},
    onmessage: (_: { data: string }) => {},
    close() {},
    send: (frame: string) =>
      void topics.push(...JSON.parse(frame).topics.map(({ topic }: { topic: string }) => topic)),
  };
  const socket = new LiveSocket({
    open: () => wire as unknown as WebSocket,
    later: () => () => {},
  });
  const asked = serve(routes);
  const Lists = () => {
    useLists();
    return null;
  };
  renderPart(<Lists />, undefined, socket);
  await waitFor(() => expect(asked).toHaveLength(Object.keys(routes).length));
  act(() => wire.onopen());
  await waitFor(() => expect(topics).toContain(topic));
  const frame = JSON.stringify({ op: "ring", topic, seq: 0 });
  for (let time = 0; time < times; time += 1) {
    act(() => wire.onmessage({ data: frame }));
    await act(() => vi.advanceTimersByTimeAsync(500));
  }
  await act(() => vi.advanceTimersByTimeAsync(1_500));
  return asked.map(({ route }) => route);
}
