import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** A file's content as plain values, and the line of each. */
export interface YamlContent {
  readonly kind: 'content';
  /** Numbers as their source text (`0x1F` stays `0x1F`), so that flags and file share one parser. */
  readonly value: unknown;
  /** Line of the key at a path, or of its nearest parent. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

interface YamlProblem {
  readonly line: number;
  readonly message: string;
}

/** A YAML syntax error, for one message. */
const MOST_PROBLEMS = 20;

/**
 * Parses one YAML document. Refuses everything that expands: anchors and aliases (a kilobyte can become a gigabyte), tags, merge keys, several
 * documents.
 */
export function readYaml(text: string): YamlContent | { kind: 'problems'; problems: readonly YamlProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined): number => Math.max(1, lines.linePos(offset ?? 0).line);
  const found = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    message,
  }));
  const refused: YamlProblem[] = [];
  const value = plainOf(document.contents, (node, message) =>
    refused.push({ line: lineAt(node.range?.[0]), message }),
  );
  if (found.length + refused.length > 0)
    return { kind: 'problems', problems: firstOf([...found, ...refused]) };
  return { kind: 'content', value, lineOf: (path) => lineAt(offsetOf(document.contents, path)) };
}

/** The parser often reports one mistake many times. */
function firstOf(problems: readonly YamlProblem[]): readonly YamlProblem[] {
  const isFirst = ({ line, message }: YamlProblem, index: number) =>
    index === problems.findIndex((other) => other.line === line && other.message === message);
  return problems.filter(isFirst).slice(0, MOST_PROBLEMS);
}

function plainOf(node: unknown, refuse: (node: Node, message: string) => void): unknown {
  if (isScalar(node))
    return typeof node.value === 'number' || typeof node.value === 'bigint'
      ? (node.source ?? String(node.value))
      : node.value;
  if (isSeq(node)) return node.items.map((item) => plainOf(item, refuse));
  if (isMap(node)) {
    if (node.anchor !== undefined) refuse(node, 'anchors are not read');
    return Object.fromEntries(
      node.items.map(({ key, value }) => [String(plainOf(key, refuse)), plainOf(value, refuse)]),
    );
  }
  if (node !== null && typeof node === 'object' && 'source' in node)
    return refuse(node as Node, 'aliases are not read');
  return null;
}

function offsetOf(contents: unknown, path: readonly PropertyKey[]): number | undefined {
  let node = contents;
  let offset: number | undefined;
  for (const step of path) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
    if (pair === undefined) break;
    offset = isScalar(pair.key) ? pair.key.range?.[0] : offset;
    node = pair.value;
  }
  return offset;
}
