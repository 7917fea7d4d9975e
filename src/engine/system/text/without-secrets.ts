import { parseJson } from './parse-json.ts';
import { hidesValue, isSecretName } from './secret-name.ts';
import { textWithoutSecrets, withoutBlocks } from './text-without-secrets.ts';

const HIDDEN = '***';
/** Nothing that programs write is deeper, and the stack has an end. */
const MOST_DEPTH = 100;

/**
 * What programs, users and the kubelet wrote, with `***` for every secret that its shape or a name before it tells:
 * configurations of HAProxy, keepalived and hawser, manifests, logs and reports. In doubt it hides too much; a secret in prose
 * that nothing announces is not found. A second time changes nothing, and the time is linear in the length.
 *
 * JSON, whole or as a line of a log, is read and written anew, so that it stays JSON, and so are the strings in it.
 */
export function withoutSecrets(text: string): string {
  return hidden(text, 0);
}

function hidden(text: string, depth: number): string {
  return jsonWithout(text, depth) ?? linesWithout(withoutBlocks(text), depth);
}

/** Undefined if it is no object and no list. */
function jsonWithout(text: string, depth: number): string | undefined {
  const [first = ''] = text.trimStart();
  const value = first === '{' || first === '[' ? parseJson(text) : undefined;
  if (value === undefined) return undefined;
  const ending = /\n?$/.exec(text)?.[0] ?? '';
  return JSON.stringify(hiddenIn(value, depth), null, text.trimEnd().includes('\n') ? 2 : 0) + ending;
}

/** Lines of JSON one by one, what is between them together. */
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
  // An entry of env, whose name is a value as well.
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

/** What follows a flag in a list of arguments. */
function hiddenItem(item: unknown, before: unknown, depth: number): unknown {
  const [, flag = ''] = (typeof before === 'string' && /^--?([A-Za-z][\w-]*)$/.exec(before)) || [];
  return isSecretName(flag) ? hiddenValue(item, depth + 1) : hiddenIn(item, depth + 1);
}

/** A map in it has names of its own. */
function hiddenValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hidesValue(value) ? HIDDEN : value;
  if (typeof value === 'number') return HIDDEN;
  if (Array.isArray(value) && depth <= MOST_DEPTH) return value.map((item) => hiddenValue(item, depth + 1));
  return hiddenIn(value, depth);
}
