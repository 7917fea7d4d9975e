/** Keys with a blank end there for HAProxy, and one that begins with `#` is a comment: the callers let none through. */
export function mapLine(key: string, value: string): string {
  return `${key} ${value}\n`;
}

export function mapText(lines: readonly (readonly [key: string, value: string])[]): string {
  return lines.map(([key, value]) => mapLine(key, value)).join('');
}
