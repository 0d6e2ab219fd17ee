/** The chosen clock in components. Apart from the clock: JupyterLab's extension formats times without React. */
import { useSyncExternalStore } from "react";
import { type Clock, clockStyle, subscribeToClock } from "./clock";

export function useClock(): Clock {
  return useSyncExternalStore(subscribeToClock, clockStyle);
}
