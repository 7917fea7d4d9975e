/** hawser's own annotation takes precedence over the older proxy's, so that a pod can have both. */
const prefixes = ['hawser.dev', 'haproxy.unity3d.com'] as const;

/** The annotations in which a downstream pod names its proxy. */
const masters = ['hawser.dev/master', 'kontrol.unity3d.com/master'] as const;

/** The annotations that name the database for statistics. */
const databases = ['hawser.dev/opentsdb', 'kontrol.unity3d.com/opentsdb'] as const;

/** Of an object's metadata. */
export type Annotations = Readonly<Record<string, string>>;

/** `hawser.dev/config`, else `haproxy.unity3d.com/config`; undefined if neither is set. */
export function annotationOf(annotations: Annotations, name: string): string | undefined {
  return firstOf(
    annotations,
    prefixes.map((prefix) => `${prefix}/${name}`),
  );
}

/**
 * The proxy that a pod names, as `NAME.NAMESPACE`. The annotation is `haproxy.default.svc`, with or without a suffix; a name alone
 * means the pod's own namespace.
 */
export function masterOf(annotations: Annotations, namespace: string): string | undefined {
  const [name = '', within = namespace] = firstOf(annotations, masters)?.trim().split('.') ?? [];
  return name === '' ? undefined : `${name}.${within}`;
}

/** `HOST` or `HOST:PORT`; undefined if neither annotation is set. */
export function databaseOf(annotations: Annotations): string | undefined {
  return firstOf(annotations, databases)?.trim();
}

function firstOf(annotations: Annotations, names: readonly string[]): string | undefined {
  return names.map((name) => annotations[name]).find((text) => text !== undefined && text.trim() !== '');
}
