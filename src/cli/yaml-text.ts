import { stringify } from 'yaml';

/** One document, without a newline at the end; long texts stay on one line. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}
