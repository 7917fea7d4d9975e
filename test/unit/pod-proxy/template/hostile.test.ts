import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderJinja } from '../../../../src/pod-proxy/template/jinja.ts';
import { runs } from '../../../helpers/property-seed.ts';

/** Words that nunjucks reads as names or values, and that would escape the template if names were code or prototypes were followed. */
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

it('a hostile template is refused, or prints only values of its model', () => {
  fc.assert(
    fc.property(template, (each) => {
      const outcome = renderJinja({ template: each, model: { hosts: { web: ['10.0.0.1'] }, certs: {} } });
      if (outcome.kind === 'failed') expect(outcome.message).toMatch(/^Cannot render the template/);
      else expect(outcome.text).not.toMatch(/function|native code|\[object|=>/);
    }),
    { numRuns: runs(2_000) },
  );
});

it.each([
  ['{{ a }}', 'it prints 524287 characters'],
  ['{{ a|upper }}', 'it prints 524287 characters'],
  ['{% if a == b %}x{% endif %}', 'it takes 1000001 steps'],
])('a list nested forty times is refused before it takes seconds: %s', (end, reason) => {
  const doubled = ['a', 'b'].map(
    (list) => `{% set ${list} = [1] %}${`{% set ${list} = [${list}, ${list}] %}`.repeat(40)}`,
  );
  const job = { template: `${doubled.join('')}${end}`, model: { hosts: {}, certs: {} } };
  expect(renderJinja(job)).toMatchObject({ kind: 'failed', message: expect.stringContaining(reason) });
});
