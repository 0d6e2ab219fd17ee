/** Names the browser tab. */
export function PageTitle({ text }: { text: string }) {
  return <title>{`${text} · Berth`}</title>;
}
