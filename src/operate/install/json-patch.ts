import { type Document, isSeq } from 'yaml';
import * as z from 'zod/mini';
import type { Path } from './strategic-merge.ts';

const pointer = z.string().check(z.regex(/^(?:\/[^/]*)+$/));
const operations = z.array(
  z.discriminatedUnion('op', [
    z.object({ op: z.enum(['add', 'replace', 'test']), path: pointer, value: z.unknown() }),
    z.object({ op: z.literal('remove'), path: pointer }),
  ]),
);

/** RFC 6902 without `move` and `copy`. Throws where the patch has another form, or a place is not there. */
export function applyJsonPatch(document: Document, patch: unknown): void {
  const parsed = operations.safeParse(patch);
  if (!parsed.success)
    throw new Error(
      'it is no list of add, remove, replace and test with a "path" such as /spec/containers/0',
    );
  for (const operation of parsed.data) {
    const path = pathOf(document, operation.path);
    if (operation.op !== 'add' && !document.hasIn(path)) throw new Error(`"${operation.path}" is not there`);
    switch (operation.op) {
      case 'remove':
        document.deleteIn(path);
        break;
      case 'replace':
        document.setIn(path, document.createNode(operation.value));
        break;
      case 'add':
        add(document, path, operation.value);
        break;
      case 'test':
        if (JSON.stringify(valueAt(document, path)) !== JSON.stringify(operation.value))
          throw new Error(`"${operation.path}" is another value than the test expects`);
    }
  }
}

function add(document: Document, path: Path, value: unknown): void {
  const list = document.getIn(path.slice(0, -1));
  const place = path.at(-1);
  if (isSeq(list) && typeof place === 'number') list.items.splice(place, 0, document.createNode(value));
  else document.setIn(path, document.createNode(value));
}

/** `-` is the place after the last one of a list. */
function pathOf(document: Document, text: string): Path {
  const path: (string | number)[] = [];
  for (const part of text.slice(1).split('/')) {
    const here = path.length === 0 ? document.contents : document.getIn(path);
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(isSeq(here) ? (name === '-' ? here.items.length : Number(name)) : name);
  }
  return path;
}

function valueAt(document: Document, path: Path): unknown {
  const plain: unknown = document.toJS();
  return path.reduce(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    plain,
  );
}
