/** The demand of a service as a curve: what came, and what is expected with its interval. Pure. */
import type { ServiceDetail } from "@/shared/api/types";
import type { Extent, PlotBand, PlotLine, PlotValue } from "@/shared/ui/plot";

export type Forecast = NonNullable<ServiceDetail["forecast"]>;
export type Accuracy = Forecast["accuracy"][number];

const HOUR_MS = 3_600_000;
const CAME = "--hue-0";
const EXPECTED = "--hue-1";

export interface DemandCurve {
  xs: number[];
  lines: PlotLine[];
  bands: PlotBand[];
  extent: Extent;
}

/** Hours that came, then those that are expected; the interval stands around the latter. */
export function demandCurve({ past, hours }: Pick<Forecast, "past" | "hours">): DemandCurve {
  const xs = [...past, ...hours].map(({ at }) => Date.parse(at));
  const before: PlotValue[] = past.map(() => null);
  const after: PlotValue[] = hours.map(() => null);
  return {
    xs,
    lines: [
      { key: "came", colour: CAME, values: [...past.map(({ requests }) => requests), ...after] },
      {
        key: "high",
        colour: EXPECTED,
        style: "edge",
        values: [...before, ...hours.map(({ high }) => high)],
      },
      {
        key: "low",
        colour: EXPECTED,
        style: "edge",
        values: [...before, ...hours.map(({ low }) => low)],
      },
      {
        key: "middle",
        colour: EXPECTED,
        values: [...before, ...hours.map(({ middle }) => middle)],
      },
    ],
    bands: [{ high: 1, colour: EXPECTED }],
    extent: { from: xs[0] ?? 0, to: xs.at(-1) ?? HOUR_MS },
  };
}

/** The model that was chosen, and how much better it did than the same hour a season ago. */
export function chosenAccuracy({ model, accuracy }: Forecast): Accuracy | undefined {
  return accuracy.find((each) => each.model === model);
}
