import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Volume } from "@/shared/api/types";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { VolumeUsers } from "./volume-dialog";

const OWNER = { id: "user-1", username: "li", display_name: "Li Na" };

it("leads to the page of each kind of work", async () => {
  serve({
    "GET /api/v1/volumes/volume-1/users": [
      { id: "work-1", kind: "environment", name: "lab", owner: OWNER },
      { id: "work-2", kind: "training", name: "night", owner: OWNER },
      { id: "work-3", kind: "app", name: "tensorboard-data", owner: OWNER },
    ],
  });
  renderPart(
    <VolumeUsers
      volume={{ id: "volume-1", name: "data", uses: 3 } as Volume}
      onClose={() => undefined}
    />,
  );
  await screen.findByText("lab");
  const places = screen.getAllByRole("link").map((link) => link.getAttribute("href"));
  expect(places).toEqual(["/notebooks/work-1", "/jobs/work-2", "/apps/work-3"]);
});
