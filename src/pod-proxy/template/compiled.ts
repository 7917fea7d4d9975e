/** Every word that nunjucks writes, outside of strings, for what `allowed.ts` lets pass; its variables are `t_1`, `t_2` … */
const words: ReadonlySet<string> = new Set([
  ...['function', 'var', 'if', 'else', 'for', 'in', 'try', 'catch', 'return', 'true', 'false', 'null'],
  ...['root', 'env', 'context', 'frame', 'runtime', 'cb', 'lineno', 'colno', 'output', 'parentTemplate', 'e'],
  ...[
    'contextOrFrameLookup',
    'memberLookup',
    'fromIterator',
    'suppressValue',
    'inOperator',
    'isArray',
    'keys',
  ],
  ...['callWrap', 'call', 'getFilter', 'getTest', 'handleError', 'rootRenderFunc', 'opts', 'autoescape'],
  ...['set', 'push', 'pop', 'length', 'topLevel', 'setVariable', 'addExport', 'Math', 'floor'],
]);
const variable = /^t_\d+$/;
/** A quote without its other half, other quotes, escapes outside of strings, and a property that is not one of a list by its number. */
const suspicious = /["`'\\]|[\w)\]]\s*\[(?!t_\d+\]|\d\])/;

/**
 * Whether a compiled template has the form that all of them have. A second look, at the result: should `allowed.ts` let pass
 * a text that nunjucks does not quote, what stands in it shows here as a word of its own.
 */
export function isAsExpected(compiled: string): boolean {
  const bare = compiled.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '0');
  const named = bare.match(/[A-Za-z_$][\w$]*/g) ?? [];
  return named.every((word) => words.has(word) || variable.test(word)) && !suspicious.test(bare);
}
