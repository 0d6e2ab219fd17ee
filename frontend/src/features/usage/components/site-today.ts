import { useConfig } from "@/shared/session/me";
import { useNow } from "@/shared/ui/time";
import { dateAtSite } from "../model/usage";

/** Today by the site's clock: its days are what the meter counts, wherever the reader is. */
export function useSiteToday(): Date {
  return dateAtSite(useNow(), useConfig()?.time_zone);
}
