import { parseAllDocuments } from 'yaml';
import { type Selector, selects } from '../../engine/kube/label-selector.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { labelsOf } from '../metadata.ts';
import { readEndpointSlice, readEndpoints, type ServiceEndpoints } from './endpoints.ts';
import { type Ingress, readIngress } from './ingress.ts';
import { type Namespace, readNamespace } from './namespace.ts';
import type { Reading } from './reading.ts';
import { type Route, readRoute } from './route.ts';
import type { RouterObjects } from './router-objects.ts';
import { readSecret, type Secret } from './secret.ts';
import { readService, type Service } from './service.ts';

interface ObjectList {
  readonly objects: RouterObjects;
  /** Why objects were left out, each with its location: `document 3: Route shop/web: spec.to.name: expected string`. */
  readonly problems: readonly string[];
}

/** A document or list item, and its location in the text. */
interface Placed {
  readonly place: string;
  readonly value: unknown;
}

/**
 * Reads the objects in a text: YAML with any number of documents, or JSON. Each document is an object, a `kind: List`, or an array. An object
 * that cannot be read is left out and its problems are returned. Kinds that the router does not use are ignored, and so are Routes and Ingresses
 * that `routeLabels` does not select.
 */
export function readObjectList(text: string, routeLabels?: Selector): ObjectList {
  const problems: string[] = [];
  const routes: Route[] = [];
  const ingresses: Ingress[] = [];
  const endpoints: ServiceEndpoints[] = [];
  const services: Service[] = [];
  const namespaces: Namespace[] = [];
  const secrets: Secret[] = [];
  const seen = new Set<string>();
  for (const { place, value } of documentsOf(text, problems).flatMap(itemsOf)) {
    const { kind, title } = titleOf(value);
    const isRoute = kind === 'Route' || kind === 'Ingress';
    if (isRoute && routeLabels !== undefined && !selects(routeLabels, labelsOf(value))) continue;
    const keep = <T>(read: (object: unknown) => Reading<T>, list: T[]): void => {
      const reading = read(value);
      const reasons =
        reading.kind === 'refused' ? reading.problems : seen.has(title) ? ['it is listed twice'] : [];
      for (const reason of reasons) problems.push(`${place}: ${title}: ${reason}`);
      if (reading.kind === 'read' && reasons.length === 0) list.push(reading.value);
      seen.add(title);
    };
    if (kind === 'Route') keep(readRoute, routes);
    else if (kind === 'Ingress') keep(readIngress, ingresses);
    else if (kind === 'EndpointSlice') keep(readEndpointSlice, endpoints);
    else if (kind === 'Endpoints') keep(readEndpoints, endpoints);
    else if (kind === 'Service') keep(readService, services);
    else if (kind === 'Namespace') keep(readNamespace, namespaces);
    else if (kind === 'Secret') keep(readSecret, secrets);
    else if (kind === '') problems.push(`${place}: expected an object with a kind`);
  }
  return { objects: { routes, ingresses, endpoints, services, namespaces, secrets }, problems };
}

function documentsOf(text: string, problems: string[]): readonly Placed[] {
  const json = parsedJson(text);
  if (json !== undefined) return [{ place: 'document 1', value: json }];
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  return [...documents].flatMap((document, index) => {
    const place = `document ${index + 1}`;
    const [error] = document.errors;
    if (error !== undefined) {
      problems.push(`${place}: ${error.message.split('\n')[0]}`);
      return [];
    }
    try {
      return [{ place, value: document.toJS() as unknown }];
    } catch (error) {
      problems.push(`${place}: ${messageOf(error)}`);
      return [];
    }
  });
}

/** JSON is valid YAML, but `JSON.parse` is much faster. */
function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ignores an empty document, as between two `---`. */
function itemsOf({ place, value }: Placed): readonly Placed[] {
  if (value === null || value === undefined) return [];
  const items = Array.isArray(value) ? value : listItems(value);
  if (items === undefined) return [{ place, value }];
  return items.map((item: unknown, index) => ({ place: `${place}, item ${index + 1}`, value: item }));
}

function listItems(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null || !('items' in value)) return undefined;
  return Array.isArray(value.items) ? value.items : undefined;
}

/** `Route shop/web`, with defaults for missing fields. */
function titleOf(value: unknown): { readonly kind: string; readonly title: string } {
  const kind = textAt(value, 'kind');
  const metadata = typeof value === 'object' && value !== null && 'metadata' in value ? value.metadata : {};
  const namespace = textAt(metadata, 'namespace') || (kind === 'Namespace' ? '' : 'default');
  const name = textAt(metadata, 'name') || '(unnamed)';
  return { kind, title: `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}` };
}

function textAt(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : '';
}
