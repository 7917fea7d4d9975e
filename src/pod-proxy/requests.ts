import { parseLabelSelector } from '../engine/kube/label-selector.ts';
import { type Annotations, annotationOf } from './pod/pod.ts';

/** The configuration that the annotations of the proxy's own pod request. */
export interface Requests {
  readonly config: ConfigSource;
  readonly hosts: HostsSource;
  /** The Secrets whose certificates the template receives. */
  readonly certs: CertsSource;
}

/** An annotation is invalid; the message names it. */
interface Wrong {
  readonly kind: 'wrong';
  readonly message: string;
}

export type ConfigSource =
  | { readonly kind: 'annotation'; readonly text: string }
  /** For long templates: the annotations of an object are limited to 256 KiB in total. */
  | { readonly kind: 'config-map'; readonly name: string; readonly key: string }
  | { readonly kind: 'none' }
  | Wrong;

type HostsSource =
  | { readonly kind: 'pods' }
  | { readonly kind: 'slices'; readonly labelSelector: string }
  | Wrong;

type CertsSource = { readonly kind: 'secrets'; readonly names: readonly string[] } | Wrong;

const CONFIG_KEY = 'haproxy.cfg';
/** Each is listed and watched separately. */
const MAX_SECRETS = 50;

export function requestsIn(annotations: Annotations): Requests {
  return {
    config: configSource(annotations),
    hosts: hostsSource(annotationOf(annotations, 'hosts')?.trim()),
    certs: certsSource(annotationOf(annotations, 'certs')?.trim()),
  };
}

function configSource(annotations: Annotations): ConfigSource {
  const text = annotationOf(annotations, 'config');
  if (text !== undefined) return { kind: 'annotation', text };
  const found = annotationOf(annotations, 'config-map')?.trim();
  if (found === undefined) return { kind: 'none' };
  const [name = '', key = CONFIG_KEY, ...more] = found.split('/');
  if (isObjectName(name) && /^[\w.-]+$/.test(key) && more.length === 0)
    return { kind: 'config-map', name, key };
  return wrong('config-map', found, 'it is not the name of a ConfigMap, expected NAME or NAME/KEY');
}

function hostsSource(labelSelector: string | undefined): HostsSource {
  if (labelSelector === undefined) return { kind: 'pods' };
  if (parseLabelSelector(labelSelector) !== undefined) return { kind: 'slices', labelSelector };
  return wrong(
    'hosts',
    labelSelector,
    'it is not a label selector, expected one like "app=web,tier in (a,b)"',
  );
}

function certsSource(found: string | undefined): CertsSource {
  const names = [...new Set((found ?? '').split(/[\s,]+/).filter((name) => name !== ''))].toSorted();
  if (names.length <= MAX_SECRETS && names.every(isObjectName)) return { kind: 'secrets', names };
  return wrong(
    'certs',
    found ?? '',
    `it is not a list of Secrets, expected at most ${MAX_SECRETS} names, separated by commas`,
  );
}

/** Rejects every character that could end a field selector or a path. */
function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
}

function wrong(annotation: string, found: string, what: string): Wrong {
  return { kind: 'wrong', message: `Cannot read annotation ${annotation} "${found}": ${what}` };
}
