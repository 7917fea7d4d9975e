const PARTS =
  /pass(?:word|wd|phrase)|secret|token|credential|authorization|cookie_key|(?:private|access|api)_?key/;
/** Words that are a secret's only together with others: `key: node-role` is none. */
const WORDS = /_(?:key|keys|pass|pwd)\d*(?:_|$)|(?:^|_)auth$/;
/** What it names is where a secret is, or something about it. */
const ABOUT = /_(?:file|path|dir|folder|name|names|ref|url|uri|type|mode|usage|rate|seconds|timestamp|ttl)$/;
/** Kubernetes' kind of object, whose credentials hawser uses, and what is known to all. */
const OPEN = /^(?:secrets|credentials|topology_key)$|public_keys?$/;

/** Whether what has this name is a secret, in `snake_case`, `kebab-case`, `camelCase` or after a domain, as annotations are. */
export function isSecretName(name: string): boolean {
  const words = name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[.-]+/g, '_')
    .toLowerCase();
  return (PARTS.test(words) || WORDS.test(words)) && !ABOUT.test(words) && !OPEN.test(words);
}

/** A switch, or where a file of the machine is. */
const HARMLESS =
  /^(?:true|false|null|none|~|\/(?:etc|var|run|usr|tmp|opt|root|home)\/[\w./-]+)(?=["'`\s,}\]&)]|$)/;

/** Whether a value with such a name is to be hidden. */
export function hidesValue(value: string): boolean {
  return !HARMLESS.test(value);
}
