import { type Answer, status, tooNew } from './answers.ts';
import { matchesFields, matchesSelector, unsupportedField } from './label-selector.ts';
import { keyOf, type ObjectStore, type StoredObject } from './object-store.ts';
import type { ServedResource } from './served-kinds.ts';

export function isSelected(object: StoredObject, resource: ServedResource, query: URLSearchParams): boolean {
  return (
    object.kind === resource.kind &&
    (resource.namespace === undefined || object.metadata.namespace === resource.namespace) &&
    matchesSelector(query.get('labelSelector') ?? '', object.metadata.labels ?? {}) &&
    matchesFields(query.get('fieldSelector') ?? '', object)
  );
}

/** A list, in pages if `limit` is set. As in Kubernetes, only items of custom resources have kind and apiVersion. */
export function listAnswer(resource: ServedResource, query: URLSearchParams, store: ObjectStore): Answer {
  const label = unsupportedField(resource.kind, query.get('fieldSelector') ?? '');
  if (label !== undefined)
    return { code: 400, body: status(400, 'BadRequest', `field label not supported: ${label}`) };
  const asked = Number(query.get('resourceVersion') ?? 0);
  if (asked > store.version()) return { code: 504, body: tooNew(asked, store.version()) };
  const token = readToken(query.get('continue'));
  if (token !== undefined && token.version < store.oldest())
    return { code: 410, body: status(410, 'Expired', 'The provided continue parameter is too old') };
  const { keys, objects } = selectionOf(resource, query, store);
  const first = token === undefined ? 0 : keys.findIndex((key) => key >= token.start);
  const rest = first === -1 ? [] : objects.slice(first);
  const limit = Number(query.get('limit') ?? 0);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const next = rest[page.length];
  const version = token?.version ?? store.version();
  const metadata = {
    resourceVersion: `${version}`,
    ...(next === undefined
      ? {}
      : {
          continue: writeToken({ version, start: keyOf(next) }),
          remainingItemCount: rest.length - page.length,
        }),
  };
  const items = resource.isCustom
    ? page
    : page.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);
  return {
    code: 200,
    body: { kind: `${resource.kind}List`, apiVersion: resource.apiVersion, metadata, items },
  };
}

interface Selection {
  readonly keys: readonly string[];
  readonly objects: readonly StoredObject[];
}

/** Per state of a store, so that the pages of a long list do not each cost the whole list. */
const selections = new WeakMap<readonly StoredObject[], Map<string, Selection>>();

function selectionOf(resource: ServedResource, query: URLSearchParams, store: ObjectStore): Selection {
  const all = store.objects();
  const known = selections.get(all) ?? new Map<string, Selection>();
  selections.set(all, known);
  const name = JSON.stringify([resource, query.get('labelSelector'), query.get('fieldSelector')]);
  const found = known.get(name);
  if (found !== undefined) return found;
  const objects = all.filter((object) => isSelected(object, resource, query));
  const selection = { keys: objects.map(keyOf), objects };
  known.set(name, selection);
  return selection;
}

interface Token {
  readonly version: number;
  readonly start: string;
}

function writeToken(token: Token): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function readToken(text: string | null): Token | undefined {
  return text === null ? undefined : JSON.parse(Buffer.from(text, 'base64url').toString());
}
