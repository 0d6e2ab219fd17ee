/** A name that is free in all likelihood: `notebook-1121-0930`. */
export function defaultName(stem: string, now: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  const day = two(now.getMonth() + 1) + two(now.getDate());
  return `${stem}-${day}-${two(now.getHours())}${two(now.getMinutes())}`;
}
