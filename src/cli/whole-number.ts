import { fileForms, parsedBy } from './make-field.ts';

export function wholeNumber(minimum: number, maximum: number) {
  return parsedBy(
    (text) => wholeNumberIn(text, minimum, maximum),
    `expected a whole number, ${minimum} to ${maximum}`,
  ).register(fileForms, { type: 'integer', minimum, maximum });
}

/** `auto` leaves the number to HAProxy. */
export function wholeNumberOrAuto(minimum: number, maximum: number) {
  return parsedBy(
    (text) => (text.trim() === 'auto' ? ('auto' as const) : wholeNumberIn(text, minimum, maximum)),
    `expected a whole number, ${minimum} to ${maximum}, or auto`,
  ).register(fileForms, { anyOf: [{ type: 'integer', minimum, maximum }, { const: 'auto' }] });
}

function wholeNumberIn(text: string, minimum: number, maximum: number): number | undefined {
  const value = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= minimum && value <= maximum ? value : undefined;
}

const MOST_MEBIBYTES = 10_000_000;

/** Bytes, given in MiB. */
export const mebibytes = parsedBy((text) => {
  const count = wholeNumberIn(text, 1, MOST_MEBIBYTES);
  return count === undefined ? undefined : count * 1_024 * 1_024;
}, `expected a whole number of MiB, 1 to ${MOST_MEBIBYTES}`).register(fileForms, {
  ...{ type: 'integer', minimum: 1, maximum: MOST_MEBIBYTES },
});
