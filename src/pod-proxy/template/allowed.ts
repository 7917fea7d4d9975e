import type { Node } from 'nunjucks/src/nodes.js';

/** What a template may be made of: no other templates, no macros, no calls but those below. */
const syntax: ReadonlySet<string> = new Set([
  ...['Root', 'NodeList', 'Output', 'TemplateData', 'Group', 'Array', 'Symbol', 'Literal', 'LookupVal'],
  ...[
    'For',
    'If',
    'InlineIf',
    'Set',
    'Capture',
    'Filter',
    'FunCall',
    'Compare',
    'CompareOperand',
    'In',
    'Is',
  ],
  ...['And', 'Or', 'Not', 'Add', 'Concat', 'Sub', 'Mul', 'Div', 'FloorDiv', 'Mod', 'Neg', 'Pos'],
]);

/** Of Jinja2's filters those that read nothing but what they are given: `map` and its like take names of attributes. */
export const filterNames: ReadonlySet<string> = new Set([
  ...[
    'abs',
    'capitalize',
    'default',
    'd',
    'dictsort',
    'first',
    'float',
    'indent',
    'int',
    'join',
    'last',
    'length',
  ],
  ...['list', 'lower', 'replace', 'reverse', 'round', 'sort', 'string', 'title', 'trim', 'upper'],
]);

export const testNames: ReadonlySet<string> = new Set(['defined', 'undefined', 'even', 'odd']);

/** What may be called: `range(3)`, and of a map `hosts.items()`. */
export const functionNames: ReadonlySet<string> = new Set(['range']);
export const methodNames: ReadonlySet<string> = new Set(['items', 'keys', 'values', 'get']);

const name = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * Why a parsed template is refused, or undefined. It is compiled to JavaScript afterwards, and nunjucks puts names into that
 * text as they are: a name with a quote in it would be code. So nothing passes here that is not known to be harmless.
 */
export function problemIn(node: Node): { readonly line: number; readonly what: string } | undefined {
  const what = problemOf(node);
  if (what !== undefined) return { line: node.lineno + 1, what };
  for (const part of partsOf(node)) {
    const found = problemIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function problemOf(node: Node): string | undefined {
  const { typename, value } = node;
  if (!syntax.has(typename))
    return `"${typename}" is not supported, expected for, if, set, filters and expressions`;
  switch (typename) {
    case 'Symbol':
      return refused('name', value, typeof value === 'string' && name.test(value));
    case 'Literal':
      return refused(
        'value',
        value,
        value === null || ['string', 'number', 'boolean'].includes(typeof value),
      );
    case 'Set':
      return refused('target', 'set', [node['targets']].flat().every(isSymbol));
    case 'For':
      return refused('variable', 'for', isSymbol(node['name']) || partsOf(node['name']).every(isSymbol));
    case 'Filter':
      return refused('filter', nameIn(node), filterNames.has(nameIn(node)));
    case 'Is':
      return refused('test', nameIn(node, 'right'), testNames.has(nameIn(node, 'right')));
    case 'FunCall':
      return refused('call', nameIn(node), isCall(node));
    default:
      return undefined;
  }
}

function refused(what: string, found: unknown, isAllowed: boolean): string | undefined {
  return isAllowed ? undefined : `the ${what} ${JSON.stringify(`${found}`.slice(0, 60))} is not supported`;
}

/** A call's target is written into the compiled text as well, for messages: it may be a name, or a method of a name. */
function isCall(call: Node): boolean {
  const target = nodeIn(call, 'name');
  if (target?.typename === 'Symbol') return functionNames.has(nameIn(call));
  const isOfName = target !== undefined && nodeIn(target, 'target')?.typename === 'Symbol';
  return isOfName && methodNames.has(nameIn(target, 'val'));
}

/** Of a symbol, or of a literal after a dot. */
function nameIn(node: Node, field = 'name'): string {
  const value = nodeIn(node, field)?.['value'];
  return typeof value === 'string' ? value : '';
}

function nodeIn(node: Node, field: string): Node | undefined {
  return isNode(node[field]) ? node[field] : undefined;
}

/** Of every property: `fields` does not name them all, such as the body of a `set`. */
function partsOf(node: unknown): readonly Node[] {
  return isNode(node) ? Object.values(node).flat().filter(isNode) : [];
}

/** nunjucks takes a string for a variable, too. */
function isSymbol(node: unknown): boolean {
  return isNode(node) && node.typename === 'Symbol';
}

function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'typename' in part;
}
