/** hawser's own name of an annotation stands before that of the older proxy, so that a pod can have both. */
const prefixes = ['hawser.dev', 'haproxy.unity3d.com'] as const;

/** What a downstream pod names its proxy in. */
const masters = ['hawser.dev/master', 'kontrol.unity3d.com/master'] as const;

/** Where statistics go. */
const databases = ['hawser.dev/opentsdb', 'kontrol.unity3d.com/opentsdb'] as const;

/** Of an object's metadata. */
export type Annotations = Readonly<Record<string, string>>;

/** `hawser.dev/config`, else `haproxy.unity3d.com/config`; undefined where neither says anything. */
export function annotationOf(annotations: Annotations, name: string): string | undefined {
  return firstOf(
    annotations,
    prefixes.map((prefix) => `${prefix}/${name}`),
  );
}

/**
 * Which proxy a pod names, as `NAME.NAMESPACE`: `haproxy.default.svc`, with or without what follows `svc`. A name alone is one of
 * the pod's own namespace.
 */
export function masterOf(annotations: Annotations, namespace: string): string | undefined {
  const [name = '', within = namespace] = firstOf(annotations, masters)?.trim().split('.') ?? [];
  return name === '' ? undefined : `${name}.${within}`;
}

/** `HOST` or `HOST:PORT`; undefined where neither annotation says anything. */
export function databaseOf(annotations: Annotations): string | undefined {
  return firstOf(annotations, databases)?.trim();
}

function firstOf(annotations: Annotations, names: readonly string[]): string | undefined {
  return names.map((name) => annotations[name]).find((text) => text !== undefined && text.trim() !== '');
}
