const PARTS =
  /pass(?:word|wd|phrase)|secret|token|credential|authorization|cookie_key|(?:private|access|api)_?key/;
/** Words that name a secret only in combination: `key: node-role` is harmless. */
const WORDS = /_(?:key|keys|pass|pwd)\d*(?:_|$)|(?:^|_)auth$/;
/** The location or metadata of a secret. */
const ABOUT = /_(?:file|path|dir|folder|name|names|ref|url|uri|type|mode|usage|rate|seconds|timestamp|ttl)$/;
/** Kubernetes kinds and public keys: no secret values. */
const OPEN = /^(?:secrets|credentials|topology_key)$|public_keys?$/;

/** Whether this is a secret's name, in `snake_case`, `kebab-case`, `camelCase` or after a domain, as in annotations. */
export function isSecretName(name: string): boolean {
  const words = name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[.-]+/g, '_')
    .toLowerCase();
  return (PARTS.test(words) || WORDS.test(words)) && !ABOUT.test(words) && !OPEN.test(words);
}

/** A switch, or the path of a file. */
const HARMLESS =
  /^(?:true|false|null|none|~|\/(?:etc|var|run|usr|tmp|opt|root|home)\/[\w./-]+)(?=["'`\s,}\]&)]|$)/;

/** Whether the value of a secret's name must be hidden. */
export function hidesValue(value: string): boolean {
  return !HARMLESS.test(value);
}
