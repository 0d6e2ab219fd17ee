import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { useInbox } from "../api/inbox";
import { BrowserNotices } from "./browser-notices";

const shown: { body: string; tag: string }[] = [];
let refetch: () => Promise<unknown>;

function Page() {
  refetch = useInbox().refetch;
  return <BrowserNotices />;
}

beforeEach(() => {
  shown.length = 0;
  vi.stubGlobal(
    "Notification",
    class {
      onclick = null;
      constructor(_: string, { body, tag }: { body: string; tag: string }) {
        shown.push({ body, tag });
      }
      close() {}
    },
  );
});
afterEach(() => vi.restoreAllMocks());

const notice = (id: string) => ({
  id,
  code: "reservation_short",
  text: `Notice ${id}`,
  path: "/reservations",
  created_at: "2026-03-01T12:00:00Z",
  read_at: null,
});

it("shows what came after the page was opened, unless its reader looks at it", async () => {
  let notices = [notice("1")];
  const asked = serve({ "GET /api/v1/inbox": () => ({ unread: notices.length, notices }) });
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  renderPart(<Page />);
  await waitFor(() => expect(asked).toHaveLength(1));
  notices = [notice("3"), notice("2"), ...notices];
  await waitFor(async () => {
    await refetch();
    expect(shown.map(({ tag }) => tag)).toEqual(["3", "2"]);
  });
  expect(shown[0]?.body).toBe("Notice 3");
  vi.mocked(document.hasFocus).mockReturnValue(true);
  notices = [notice("4"), ...notices];
  await refetch();
  expect(shown).toHaveLength(2);
});
