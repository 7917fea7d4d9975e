import fc from 'fast-check';
import compiler from 'nunjucks/src/compiler.js';
import parser from 'nunjucks/src/parser.js';
import { expect, it } from 'vitest';
import { problemIn } from '../../../../src/pod-proxy/template/allowed.ts';
import { isAsExpected } from '../../../../src/pod-proxy/template/compiled.ts';

/** What would be code if nunjucks wrote it into its own as it is. */
const nasty = [
  '"',
  "'",
  '\\',
  '`',
  '^',
  'a"^fetch`x`^"',
  '\\"',
  "\\'",
  '\n',
  '\u2028',
  '//',
  '*/',
  'constructor',
];
const text = fc.array(fc.constantFrom('a', ' ', ...nasty), { maxLength: 4 }).map((parts) => parts.join(''));
const string = text.map((each) => JSON.stringify(each));
const name = fc.oneof(fc.constantFrom('hosts', 'x', 'loop', 'range', ...nasty), string);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const two = fc.tuple(tie('expression'), tie('expression'));
  return {
    expression: fc.oneof(
      { depthSize: 'small' },
      ...[name, string, text.map((each) => `'${each}'`), fc.constantFrom('1', '2.5', 'r/x/g')],
      fc
        .tuple(two, fc.constantFrom('+', '~', '//', '**', 'and', 'in', '==', 'is', 'if'))
        .map(([[a, b], operator]) => `${a} ${operator} ${b}`),
      two.map(([a, b]) => `${a}[${b}]`),
      fc.tuple(tie('expression'), name).map(([a, b]) => `${a}.${b}`),
      fc.tuple(two, fc.constantFrom('items', 'x')).map(([[a, b], method]) => `${a}.${method}(${b})`),
      fc.tuple(two, fc.constantFrom('join', 'map')).map(([[a, b], filter]) => `${a}|${filter}(${b})`),
      tie('expression').map((each) => `[(${each})]`),
      fc.tuple(name, tie('expression')).map(([key, value]) => `range({${key}: ${value}}, ${key}=${value})`),
    ),
  };
});

const { template } = fc.letrec<{ template: string }>((tie) => {
  const named = fc.tuple(name, name, expression, tie('template'));
  return {
    template: fc.oneof(
      { depthSize: 'small' },
      ...[text, expression.map((each) => `{{ ${each} }}`)],
      named.map(([a, b, list, body]) => `{% for ${a}, ${b} in ${list} %}${body}{% endfor %}`),
      named.map(([a, _, list, body]) => `{% for ${a} in ${list} %}{% else %}${body}{% endfor %}`),
      named.map(([a, b, value]) => `{% set ${a}, ${b} = ${value} %}`),
      named.map(([a, _, value, body]) => `{% set ${a} %}{{ ${value} }}${body}{% endset %}`),
      named.map(([a, b, value, body]) => `{% if ${value} %}{{ ${a} }}{% elif ${b} %}${body}{% endif %}`),
      named.map(([a, _, value, body]) => `{% filter ${a} %}{{ ${value} }}${body}{% endfilter %}`),
      named.map(([a, b, value, body]) => `{% macro ${a}(${b}=${value}) %}${body}{% endmacro %}`),
    ),
  };
});

it('what the allow list lets pass is compiled to nothing but the words of every template', () => {
  fc.assert(
    fc.property(template, (each) => {
      const compiled = compiledOf(each);
      if (compiled !== undefined) expect(isAsExpected(compiled), compiled).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

/** Undefined for what is no template, or is refused. */
function compiledOf(each: string): string | undefined {
  try {
    if (problemIn(parser.parse(each, [], {})) !== undefined) return undefined;
    return compiler.compile(each, [], [], 'template', {});
  } catch {
    return undefined;
  }
}
