/** Which images are the platform's, and which were saved from notebooks. Pure. */
import type { Image } from "@/shared/api/types";

/** Saved images have the name of their owner before their own. */
export const isOfPlatform = ({ name }: Pick<Image, "name">) => !name.includes("/");
