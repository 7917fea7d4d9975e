/** Keys with a blank end there for HAProxy, and one that begins with `#` is a comment: the callers let none through. */
type MapLines = readonly (readonly [key: string, value: string])[];

export function mapText(lines: MapLines): string {
  return lines.map(([key, value]) => `${key} ${value}\n`).join('');
}
