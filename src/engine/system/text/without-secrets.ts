import { parseJson } from './parse-json.ts';
import { hidesValue, isSecretName } from './secret-name.ts';
import { textWithoutSecrets, withoutBlocks } from './text-without-secrets.ts';

const HIDDEN = '***';
/** Deeper than anything that programs write; the stack is finite. */
const MOST_DEPTH = 100;

/**
 * Replaces secrets by `***` in text of programs, users and the kubelet: configurations, manifests, logs and
 * reports. A secret is recognised by its shape or by the name before it. In doubt it hides too much; an unannounced secret in prose is not found.
 * Idempotent, and linear in the length.
 * JSON, whole or as a line of a log, is parsed and serialised again, so that it stays JSON; so are the strings in it.
 */
export function withoutSecrets(text: string): string {
  return hidden(text, 0);
}

function hidden(text: string, depth: number): string {
  return jsonWithout(text, depth) ?? linesWithout(withoutBlocks(text), depth);
}

/** Undefined if it is neither an object nor a list. */
function jsonWithout(text: string, depth: number): string | undefined {
  const [first = ''] = text.trimStart();
  const value = first === '{' || first === '[' ? parseJson(text) : undefined;
  if (value === undefined) return undefined;
  const ending = /\n?$/.exec(text)?.[0] ?? '';
  return JSON.stringify(hiddenIn(value, depth), null, text.trimEnd().includes('\n') ? 2 : 0) + ending;
}

/** Lines of JSON one by one, the text between them as a whole. */
function linesWithout(text: string, depth: number): string {
  const parts: string[] = [];
  let between: string[] = [];
  const endPart = (): void => {
    if (between.length > 0) parts.push(textWithoutSecrets(between.join('\n')));
    between = [];
  };
  for (const line of text.split('\n')) {
    const at = line.indexOf('{');
    const json = at >= 0 && line.trimEnd().endsWith('}') ? jsonWithout(line.slice(at), depth) : undefined;
    if (json === undefined) between.push(line);
    else {
      endPart();
      parts.push(`${textWithoutSecrets(line.slice(0, at))}${json}`);
    }
  }
  endPart();
  return parts.join('\n');
}

function hiddenIn(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hidden(value, depth + 1);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MOST_DEPTH) return HIDDEN;
  if (Array.isArray(value)) return value.map((item, index) => hiddenItem(item, value[index - 1], depth));
  // An entry of env: its name is a value too.
  const isEntry = 'name' in value && typeof value.name === 'string' && isSecretName(value.name);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      isSecretName(key) || (isEntry && key === 'value')
        ? hiddenValue(each, depth + 1)
        : hiddenIn(each, depth + 1),
    ]),
  );
}

/** The argument after a flag. */
function hiddenItem(item: unknown, before: unknown, depth: number): unknown {
  const [, flag = ''] = (typeof before === 'string' && /^--?([A-Za-z][\w-]*)$/.exec(before)) || [];
  return isSecretName(flag) ? hiddenValue(item, depth + 1) : hiddenIn(item, depth + 1);
}

/** A nested map has its own names. */
function hiddenValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hidesValue(value) ? HIDDEN : value;
  if (typeof value === 'number') return HIDDEN;
  if (Array.isArray(value) && depth <= MOST_DEPTH) return value.map((item) => hiddenValue(item, depth + 1));
  return hiddenIn(value, depth);
}
