import { parseJson } from './parse-json.ts';

const PARTS =
  /pass(?:word|wd|phrase)|secret|token|credential|authorization|cookie_key|(?:private|access|api)_?key/;
/** Words that mark a secret only in combination: `key: node-role` is harmless. */
const WORDS = /_(?:key|keys|pass|pwd)\d*(?:_|$)|(?:^|_)auth$/;
/** Suffixes for the location or metadata of a secret. */
const ABOUT = /_(?:file|path|dir|folder|name|names|ref|url|uri|type|mode|usage|rate|seconds|timestamp|ttl)$/;
/** Names of Kubernetes kinds and public keys, whose values are not secret. */
const OPEN = /^(?:secrets|credentials|topology_key)$|public_keys?$/;

/** Whether this is the name of a secret, in `snake_case`, `kebab-case` or `camelCase`, or after a domain as in annotations. */
export function isSecretName(name: string): boolean {
  const words = name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[.-]+/g, '_')
    .toLowerCase();
  return (PARTS.test(words) || WORDS.test(words)) && !ABOUT.test(words) && !OPEN.test(words);
}

/** A switch or the path of a file. */
const HARMLESS =
  /^(?:true|false|null|none|~|\/(?:etc|var|run|usr|tmp|opt|root|home)\/[\w./-]+)(?=["'`\s,}\]&)]|$)/;

/** Whether the value of a secret's name must be hidden. */
function hidesValue(value: string): boolean {
  return !HARMLESS.test(value);
}

const HIDDEN = '***';
/** Deeper than any real document. The stack is finite. */
const MOST_DEPTH = 100;

/**
 * Replaces secrets by `***` in text of programs, users and the kubelet: configurations, manifests, logs and reports. A secret is recognised by its
 * shape or by the name before it. In doubt too much is hidden; a secret in prose that nothing announces is missed. Idempotent, and linear in the
 * length. JSON, whole or as a line of a log, is parsed and serialised again, and so are the strings in it, so that it remains JSON.
 */
export function withoutSecrets(text: string): string {
  return hidden(text, 0);
}

function hidden(text: string, depth: number): string {
  return jsonWithout(text, depth) ?? linesWithout(withoutBlocks(text), depth);
}

/** Undefined if the text is neither an object nor a list. */
function jsonWithout(text: string, depth: number): string | undefined {
  const [first = ''] = text.trimStart();
  const value = first === '{' || first === '[' ? parseJson(text) : undefined;
  if (value === undefined) return undefined;
  const ending = /\n?$/.exec(text)?.[0] ?? '';
  return JSON.stringify(hiddenIn(value, depth), null, text.trimEnd().includes('\n') ? 2 : 0) + ending;
}

/** Handles each line of JSON separately, and the text between such lines as a whole. */
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
  // An entry of `env`: the secret's name is itself a value.
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

/** An item of a list, which may be the argument of the flag before it. */
function hiddenItem(item: unknown, before: unknown, depth: number): unknown {
  const [, flag = ''] = (typeof before === 'string' && /^--?([A-Za-z][\w-]*)$/.exec(before)) || [];
  return isSecretName(flag) ? hiddenValue(item, depth + 1) : hiddenIn(item, depth + 1);
}

/** The value of a secret's name. A nested map has names of its own. */
function hiddenValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return hidesValue(value) ? HIDDEN : value;
  if (typeof value === 'number') return HIDDEN;
  if (Array.isArray(value) && depth <= MOST_DEPTH) return value.map((item) => hiddenValue(item, depth + 1));
  return hiddenIn(value, depth);
}

/** `withoutSecrets` for text that is not JSON, or only in part, except for what `withoutBlocks` hides. */
function textWithoutSecrets(text: string): string {
  const shaped = SHAPES.reduce((shown, { shape }) => shown.replace(shape, '$<stays>***'), text);
  return LEADS.reduce(hideAfter, shaped);
}

/** Secrets recognised by their shape. To keep the time linear, no pattern here or below restarts within text that it has already scanned. */
const SHAPES: readonly { readonly why: string; readonly shape: RegExp }[] = [
  {
    why: 'PEM, whole or cut off: to where no more of it can come',
    shape: /(?<stays>-----BEGIN [^-\n]{1,60}-----)[^-"{}]+(?:-(?!----)[^-"{}]*)*/g,
  },
  { why: 'PEM in base64, as in a kubeconfig or a Secret', shape: /(?<stays>)LS0tLS1CRUdJTi[\w+/=]*/g },
  {
    why: 'a token of Kubernetes, OpenShift or EKS',
    shape: /(?<stays>(?<![\w-]))(?:eyJ[\w-]{8,}\.[\w.-]+|sha256~[\w-]+|k8s-aws-v1\.[\w-]+)/g,
  },
  {
    why: 'user and password in a URL; not the name of an image before its digest',
    shape: /(?<stays>:\/\/)[^\s/"]+(?=@(?!sha\d))/g,
  },
  {
    why: 'the same of a proxy that has no scheme',
    shape: /(?<stays>(?<![^\s"'=]))[^\s:@/"'=]+:[^\s:@/"']+(?=@(?!sha\d)[\w[])/g,
  },
  {
    why: 'what the header Authorization holds, under another name',
    shape: /(?<stays>\b(?:Basic|Bearer)(?:\\?[ \t])+)(?=[^\s\d"'=]*[\d=]|[^\s"']{16})[^\s"']+/g,
  },
];

/** Text that precedes a secret. A lead with a group `name` applies only if that is the name of a secret. */
interface Lead {
  readonly why: string;
  readonly lead: RegExp;
  /** A password may contain spaces. It ends at a space only where other settings follow on the same line. */
  readonly hides: 'line' | 'word';
}

/** A name in a path is a file name. Before a colon without a space it may be an image's name, so only plain words match there. */
const KEY = String.raw`(?<![\w./-])(?:\.*|-)(?<name>[A-Za-z_][\w./-]*)(?:\\*["'])?[ \t]*[:=]`;

const LEADS: readonly Lead[] = [
  { why: 'YAML, ini', lead: new RegExp(`${KEY}[:=>]*[ \\t]+`, 'g'), hides: 'line' },
  {
    why: 'JSON that is cut off',
    lead: /(?<![\w./-])(?<name>[A-Za-z_][\w./-]*)\\*["']:(?=\S)/g,
    hides: 'line',
  },
  {
    why: 'a header, a value as Go prints it',
    lead: /(?<![\w./-])(?:password|token|secret|authorization):(?=[^\s/])/gi,
    hides: 'line',
  },
  { why: 'a variable, logfmt, a parameter in a URL', lead: new RegExp(`${KEY}(?<==)>?`, 'g'), hides: 'word' },
  {
    why: 'an entry of env, whose name is a value as well',
    lead: /\bname["']?\s*:\s*["']?(?<name>[\w.-]+)["']?\s*(?:,\s*)?["']?value["']?[ \t]*:[ \t]*/g,
    hides: 'line',
  },
  {
    why: 'the same with the value first',
    lead: /\bvalue["']?[ \t]*:[ \t]*(?=[^\n,]{1,400}[\n,]\s{0,80}["']?name["']?[ \t]*:[ \t]*["']?(?<name>[\w.-]+))/g,
    hides: 'line',
  },
  {
    why: 'a flag; its value may be the next item of a list',
    lead: /(?<![\w-])--?(?<name>[A-Za-z][\w-]*)(?:=|\\*["']?(?:,\s*|\s+-[ \t]+|[ \t]+)(?=[^\s-]))/g,
    hides: 'word',
  },
  {
    why: 'a proxy: a header or variable that is set or compared',
    lead: /(?:(?:set|add|replace)-header|hdr|setenv|set-var)[ \t(]+["']?(?:(?:proc|sess|txn|req|res)\.)?(?<name>[\w.-]+)["']?\)?[ \t]+(?![ \t]*-m found)/g,
    hides: 'line',
  },
  { why: 'a proxy: an old check', lead: /authorization:(?:\\[ \t])+/gi, hides: 'line' },
  {
    why: 'a proxy: a user of a list',
    lead: /\buser[ \t]+\S+[ \t]+(?:groups[ \t]+\S+[ \t]+)?password[ \t]+/g,
    hides: 'line',
  },
  {
    why: 'directives of proxies and VRRP',
    lead: /\b(?:insecure-password|stats[ \t]+auth|dynamic-cookie-key|auth_pass)[ \t]+/g,
    hides: 'line',
  },
  {
    why: 'prose, where what follows is quoted or no word',
    lead: /\b(?:password|token|secret)[ \t]+(?=["'](?![\s:,.])|[A-Za-z_]*\d)/gi,
    hides: 'word',
  },
];

/** A quoted value continues on the indented lines after it. The patterns have no nested repetition, to spare the regexp engine's stack. */
const QUOTED: readonly (readonly [open: string, content: RegExp])[] = [
  ['"', /[^"\\\n]*(?:(?:\\[^\n]|\n(?=[ \t]))[^"\\\n]*)*/y],
  ["'", /[^'\n]*(?:(?:''|\n(?=[ \t]))[^'\n]*)*/y],
];
const PLAIN: Readonly<Record<Lead['hides'], RegExp>> = { line: /[^\n]*/y, word: /\S*/y };
/** A value that opens a map, a block or a multi-line list: its lines are handled on their own. */
const OPENS_MORE = /\{(?=[ \t]*(?:["'}]|[\w.-]+:[ \t]|$))|\[(?=[ \t]*$)|[|>][-+\d]{0,2}[ \t]*(?:#|$)/my;
/** How many characters are scanned to see whether a value is harmless. */
const LONGEST_PATH = 1_000;

function hideAfter(text: string, { lead, hides }: Lead): string {
  let shown = '';
  let done = 0;
  for (const match of text.matchAll(lead)) {
    const { name } = match.groups ?? {};
    if (match.index < done || (name !== undefined && !isSecretName(name))) continue;
    const at = match.index + match[0].length;
    const [open, content] = QUOTED.find(([quote]) => text.startsWith(quote, at)) ?? ['', PLAIN[hides]];
    const from = at + open.length;
    const to = endOf(content, text, from);
    const isOpening = endOf(OPENS_MORE, text, at) > at;
    if (from === to || isOpening || !hidesValue(text.slice(from, Math.min(to, from + LONGEST_PATH))))
      continue;
    shown += `${text.slice(done, from)}***`;
    done = to;
  }
  return shown + text.slice(done);
}

/** The end of a sticky pattern's match; `at` if it does not match. */
function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

/** A key and the rest of its line. */
const OPENS = /^([ \t]*(?:-[ \t]+)*)(["']?)([\w./-]+)\2[ \t]*:(?:[ \t]+(.*))?$/;
const ENTRY = /^[ \t]*(?:-[ \t]+)*["']?name["']?[ \t]*:[ \t]*["']?([\w.-]+)/;
const KEYED = /^[ \t]*(?:-[ \t]+)*(["']?)[\w./-]+\1[ \t]*:(?:\s|$)|^[ \t]*(?:[[\]{}]+,?|#.*)?\s*$/;

/** Hides the lines of a multi-line secret that are indented deeper than its name: all lines of a block, otherwise only lines that are not keys. */
function withoutBlocks(text: string): string {
  let open: { readonly depth: number; readonly isBlock: boolean } | undefined;
  let entry = '';
  const shown = text.split('\n').map((line) => {
    const depth = line.search(/[^ \t\r]/);
    // List items may have the same indentation as the list's name.
    const isItem = line[depth] === '-' && depth === open?.depth && !open.isBlock;
    if (open !== undefined && (depth < 0 || depth > open.depth || isItem))
      return open.isBlock || !KEYED.test(line) ? hideLine(line) : line;
    const [, lead = '', , key = '', value = ''] = OPENS.exec(line) ?? [];
    const isSecret = isSecretName(key) || (key === 'value' && isSecretName(entry));
    open = isSecret ? { depth: lead.length, isBlock: /^[|>]/.test(value) } : undefined;
    entry = ENTRY.exec(line)?.[1] ?? '';
    return line;
  });
  return shown.join('\n');
}

/** Hides a line except for its indentation and dash. */
function hideLine(line: string): string {
  const [before = ''] = /^[ \t]*(?:-[ \t]+)?/.exec(line) ?? [];
  return line.length === before.length ? line : `${before}***`;
}
