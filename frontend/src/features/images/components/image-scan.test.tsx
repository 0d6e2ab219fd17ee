import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { ImageScan } from "@/shared/api/types";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ImageScanDrawer } from "./image-scan";

const ROUTE = "GET /api/v1/images/image-1/scan";
const done: ImageScan = {
  has_scanner: true,
  may_scan: true,
  state: "done",
  detail: "",
  scanned_at: "2026-01-01T08:00:00Z",
  is_stale: false,
  counts: { critical: 1, high: 0, medium: 0, low: 2, unknown: 0 },
  findings: [
    {
      id: "CVE-2026-0001",
      package: "openssl",
      installed: "3.0.1",
      fixed: "3.0.2",
      severity: "critical",
      title: "Reads too far",
    },
  ],
};

function show(scan: Partial<ImageScan>, routes: Record<string, unknown> = {}) {
  const asked = serve({ [ROUTE]: { ...done, ...scan }, ...routes });
  renderPart(
    <ImageScanDrawer image={{ id: "image-1", name: "python" }} onClose={() => undefined} />,
    aMe(),
  );
  return asked;
}

it("shows how much was found by severity, and each of it", async () => {
  show({});
  expect(await screen.findByText("Found: 1 critical, 2 low")).toBeTruthy();
  const table = screen.getByRole("table", { name: "Vulnerabilities" });
  expect(table.textContent).toContain("CVE-2026-0001");
  expect(table.textContent).toContain("openssl 3.0.1");
  expect(table.textContent).toContain("3.0.2");
  expect(screen.getByText("Only the worst are listed.")).toBeTruthy();
});

it("says when what was found is of another image", async () => {
  show({ is_stale: true });
  expect(await screen.findByText(/The image has changed since/)).toBeTruthy();
});

it("asks for a scan, and says that it comes next", async () => {
  const route = "POST /api/v1/images/image-1/scan";
  const never = { state: null, scanned_at: null, counts: null, findings: [] };
  const asked = show(never, { [route]: { ...done, ...never, state: "waiting" } });
  expect(await screen.findByText("This image was not scanned yet.")).toBeTruthy();
  fireEvent.click(screen.getByText("Scan now", { selector: "button *" }));
  await waitFor(() => expect(asked.some((one) => one.route === route)).toBe(true));
  expect(await screen.findByText("It will be scanned next.")).toBeTruthy();
});

it("says why a scan failed, and when there is no scanner", async () => {
  show({ state: "failed", detail: "exit code 1", has_scanner: false, counts: null, findings: [] });
  expect(await screen.findByText("The last scan failed: exit code 1")).toBeTruthy();
  expect(screen.getByText("This platform has no scanner for images.")).toBeTruthy();
  expect(screen.queryByText("Scan now")).toBeNull();
});
