import { hidesValue, isSecretName } from './secret-name.ts';

/** `withoutSecrets` for text that is not JSON, or only a part of it, except for what `withoutBlocks` hides. */
export function textWithoutSecrets(text: string): string {
  const shaped = SHAPES.reduce((shown, { shape }) => shown.replace(shape, '$<stays>***'), text);
  return LEADS.reduce(hideAfter, shaped);
}

/** Secrets recognised by their shape. For linear time, here and below, a pattern never restarts within text that it has already scanned. */
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

/** What precedes a secret. If it has a `name`, only if that is a secret's. */
interface Lead {
  readonly why: string;
  readonly lead: RegExp;
  /** A password may contain spaces: it ends at one only if other settings follow on the same line. */
  readonly hides: 'line' | 'word';
}

/** A name in a path is a file's. Before a colon without a space it may be an image's: then only plain words count. */
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

/** A quoted value continues on the indented lines after it. No nested repetition, for the engine's stack. */
const QUOTED: readonly (readonly [open: string, content: RegExp])[] = [
  ['"', /[^"\\\n]*(?:(?:\\[^\n]|\n(?=[ \t]))[^"\\\n]*)*/y],
  ["'", /[^'\n]*(?:(?:''|\n(?=[ \t]))[^'\n]*)*/y],
];
const PLAIN: Readonly<Record<Lead['hides'], RegExp>> = { line: /[^\n]*/y, word: /\S*/y };
/** A map has its own keys; a block, or a list that only begins, has its own lines. */
const OPENS_MORE = /\{(?=[ \t]*(?:["'}]|[\w.-]+:[ \t]|$))|\[(?=[ \t]*$)|[|>][-+\d]{0,2}[ \t]*(?:#|$)/my;
/** Characters that are scanned to see that a value is harmless. */
const LONGEST_PATH = 1_000;

function hideAfter(text: string, { lead, hides }: Lead): string {
  let [shown, done] = ['', 0];
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

/** End of a sticky pattern's match; `at` without a match. */
function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

/** A key and the rest of its line. */
const OPENS = /^([ \t]*(?:-[ \t]+)*)(["']?)([\w./-]+)\2[ \t]*:(?:[ \t]+(.*))?$/;
const ENTRY = /^[ \t]*(?:-[ \t]+)*["']?name["']?[ \t]*:[ \t]*["']?([\w.-]+)/;
const KEYED = /^[ \t]*(?:-[ \t]+)*(["']?)[\w./-]+\1[ \t]*:(?:\s|$)|^[ \t]*(?:[[\]{}]+,?|#.*)?\s*$/;

/** Hides the lines of a multi-line secret that are indented deeper than its name: all lines of a block, otherwise those that are not keys. */
export function withoutBlocks(text: string): string {
  let open: { readonly depth: number; readonly isBlock: boolean } | undefined;
  let entry = '';
  const shown = text.split('\n').map((line) => {
    const depth = line.search(/[^ \t\r]/);
    // List items may have the indentation of the list's name.
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

/** Keeps its indentation and its dash. */
function hideLine(line: string): string {
  const [before = ''] = /^[ \t]*(?:-[ \t]+)?/.exec(line) ?? [];
  return line.length === before.length ? line : `${before}***`;
}
