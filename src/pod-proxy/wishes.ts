import { type Annotations, annotationOf } from './pod/names.ts';

/** What the annotations of the proxy's own pod ask for. */
export interface Wishes {
  readonly config: ConfigSource;
  readonly hosts: HostsSource;
}

export type ConfigSource =
  | { readonly kind: 'annotation'; readonly text: string }
  /** The annotations of an object have 256 KiB together. */
  | { readonly kind: 'config-map'; readonly name: string; readonly key: string }
  | { readonly kind: 'none' };

export type HostsSource =
  | { readonly kind: 'pods' }
  | { readonly kind: 'slices'; readonly labelSelector: string };

const CONFIG_KEY = 'haproxy.cfg';

export function wishesOf(annotations: Annotations): Wishes {
  const labelSelector = annotationOf(annotations, 'hosts');
  return {
    config: configSource(annotations),
    hosts:
      labelSelector === undefined
        ? { kind: 'pods' }
        : { kind: 'slices', labelSelector: labelSelector.trim() },
  };
}

function configSource(annotations: Annotations): ConfigSource {
  const text = annotationOf(annotations, 'config');
  if (text !== undefined) return { kind: 'annotation', text };
  const [name = '', key = CONFIG_KEY] = annotationOf(annotations, 'config-map')?.trim().split('/') ?? [];
  return name === '' ? { kind: 'none' } : { kind: 'config-map', name, key };
}
