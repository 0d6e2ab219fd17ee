/** Amounts of money, written for people. Apart from `format.ts`, which every first page loads. */

export const MICROS = 1_000_000;

/** An amount in its currency; what would be rounded to nothing is `<` the least that is written. */
export function formatMoney(amount: number, currency: string, language: string, digits = 2) {
  const options = { style: "currency", currency, maximumFractionDigits: digits } as const;
  const written = new Intl.NumberFormat(language, options);
  const least = 10 ** -digits;
  return amount > 0 && amount < least / 2 ? `<${written.format(least)}` : written.format(amount);
}
