/** Amounts of money, written for people. Apart from `format.ts`, which every first page loads. */

export const MICROS = 1_000_000;

export function formatMoney(amount: number, currency: string, language: string, digits = 2) {
  const options = { style: "currency", currency, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language, options).format(amount);
}
