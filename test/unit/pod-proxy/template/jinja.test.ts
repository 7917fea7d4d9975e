import { describe, expect, it } from 'vitest';
import { renderJinja } from '../../../../src/pod-proxy/template/jinja.ts';

const model = { hosts: { db: ['10.1.0.1'], web: ['10.0.0.1', '10.0.0.2'] }, certs: {} };

function textOf(template: string): string {
  const outcome = renderJinja({ template, model });
  return outcome.kind === 'rendered' ? outcome.text : outcome.message;
}

describe('a template', () => {
  it.each([
    [
      'loops over groups and their addresses',
      '{% for k in hosts %}{% for ip in hosts[k] %}{{k}}{{loop.index}}={{ip}} {% endfor %}{% endfor %}',
      'db1=10.1.0.1 web1=10.0.0.1 web2=10.0.0.2 \n',
    ],
    [
      'finds nothing in a group that is not there',
      '{% for ip in hosts.cache %}{{ip}}{% else %}none{% endfor %}',
      'none\n',
    ],
    [
      'asks for a group',
      '{{ "web" in hosts }} {{ "constructor" in hosts }} {{ hosts.get("cache", "no") }}',
      'true false no\n',
    ],
    [
      'counts from the end',
      '{{ hosts.web[-1] }} {{ hosts.web|length }} {{ hosts|length }}',
      '10.0.0.2 2 2\n',
    ],
  ])('%s', (_what, template, text) => {
    expect(textOf(template)).toBe(text);
  });

  it.each([
    ['calculates from the left', '{{ 2 * 3 % 4 }} {{ 7 * 2 // 4 }} {{ 100 / 10 // 3 }}', '2 3 3\n'],
    ['compares all of a chain', '{{ 3 > 2 > 1 }} {{ 1 < 3 < 2 }} {{ not 1 == 2 }}', 'true false true\n'],
    ['takes what has no items for false', '{% if [] or hosts.cache %}a{% else %}b{% endif %}', 'b\n'],
    ['compares lists by their items', '{{ [1, "a"] == [1, "a"] }} {{ 1 == "1" }}', 'true false\n'],
    [
      'has no items in what is undefined',
      '<{{ cache|join(",") }}{{ cache|first }}{{ cache|length }}>',
      '<0>\n',
    ],
    [
      'knows what the last loop did not go over',
      '{% for k in ["db", "x"] %}{% for i in hosts[k] %}{{ i }}{% else %}none{% endfor %}{% endfor %}',
      '10.1.0.1none\n',
    ],
    ['lists the keys of a map', '{{ hosts|list }} {{ hosts|sort(true)|join("+") }}', 'db,web web+db\n'],
    ['gives several variables the items of a list', '{% set a, b = [1, 2] %}{{ b }}{{ a }}', '21\n'],
  ])('%s, like Jinja2 and unlike nunjucks', (_what, template, text) => {
    expect(textOf(template)).toBe(text);
  });

  it.each([
    ['a loop that is never closed', 'a\n{% for x in hosts %}', /unexpected end of file/],
    ['an expression that ends early', 'a\n{{ 1 + }}', /line 2: unexpected token: }}/],
    ['an unknown filter', 'a\n\n{{ hosts|nope }}', /line 3: the filter "nope" is not supported/],
    ['another template', '{% include "x" %}', /line 1: "Include" is not supported/],
    ['a macro', '{% macro a() %}{% endmacro %}', /"Macro" is not supported/],
    ['a test that takes a value', '{{ 4 is divisibleby(2) }}', /the test "divisibleby\(\)" is not supported/],
    ['an unknown test', '{{ 4 is none }}', /the test "none" is not supported/],
    ['a map in the text', 'a\n{{ hosts }}', /line 2: it prints a map/],
    ['arithmetic with a text', '{{ "3" * 2 }}', /line 1: it calculates with "3", expected a number/],
    ['a division by zero', '{{ 1 / 0 + 1 }}', /it calculates with Infinity/],
    ['the comparison of a text with a number', '{{ "3" < 2 }}', /it compares values of different kinds/],
    [
      'an invalid pair',
      '{% for k, v in hosts %}{% endfor %}',
      /2 variables take "db", expected a list of as many/,
    ],
    [
      'arguments that a filter has not',
      '{{ hosts|join(",", "constructor") }}',
      /the filter "join with 2 arguments"/,
    ],
    ['a method of what is no map', '{{ cache.items() }}', /"cache" has no items\(\), expected a map/],
    [
      'loops in loops',
      '{% set l = range(999) %}{% for a in l %}{% for b in l %}{% endfor %}{% endfor %}x',
      /MAX_STEPS/,
    ],
    ['nothing to print', '{# nothing #}', /it prints nothing/],
    [
      'more text than a configuration has',
      '{% for i in range(2000) %}{{ "x"|indent(300, true) }}{% endfor %}',
      /line 1: it prints .* MAX_RENDERED_CHARACTERS/,
    ],
    [
      'a loop that is too long',
      'a\n{% for i in range(999999999999) %}{% endfor %}x',
      /line 2: it takes .* MAX_STEPS/,
    ],
  ])('is refused for %s', (_what, template, message) => {
    expect(textOf(template)).toMatch(message);
  });
});

describe('a hostile template', () => {
  it.each([
    '{{ constructor }}',
    '{{ hosts.constructor }}',
    '{{ hosts.__proto__ }}',
    '{{ hosts["__proto__"]["constructor"] }}',
    '{{ hosts.web.constructor }}',
    '{{ hosts.web.map }}',
    '{{ "".constructor }}',
    '{{ range.constructor }}',
    '{{ loop.constructor }}',
    '{% for k in hosts %}{{ loop.constructor }}{% endfor %}',
    '{{ process }}{{ globalThis }}{{ require }}{{ env }}{{ context }}{{ runtime }}',
  ])('finds nothing with %s', (template) => {
    expect(textOf(`<${template}>`)).toBe('<>\n');
  });

  it.each([
    ['{{ hosts.constructor.constructor("return process")() }}', /call .* is not supported/],
    ['{{ hosts.items.constructor("x") }}', /call .* is not supported/],
    ['{{ __proto__ }}', /name .* is not supported/],
    ['{{ a"^fetch`x`^" }}', /name .* is not supported/],
    ['{% for a"^fetch`x`^" in hosts %}{% endfor %}', /name .* is not supported/],
    ['{% set a"^fetch`x`^" = 1 %}', /name .* is not supported/],
    ['{{ 1 is "a\\")^x" }}', /test .* is not supported/],
    ['{{ hosts|constructor }}', /filter .* is not supported/],
    ['{{ hosts|groupby("constructor") }}', /filter .* is not supported/],
    [
      String.raw`{{ hosts['\\", context, [])), env.opts.autoescape); throw Error("code") //'].items() }}`,
      /call .* is not supported/,
    ],
    ['{% set x %}{% include "y" %}{% endset %}', /"Include" is not supported/],
    ['{% set x %}{{ a"^fetch`x`^" }}{% endset %}', /name .* is not supported/],
    ['{{ r/(a+)+$/ }}', /value .* is not supported/],
    [`{% set 'a"^fetch^"' = 1 %}`, /target "set" is not supported/],
    [`{% for a, 'b"^fetch^"' in hosts.items() %}{% endfor %}`, /variable "for" is not supported/],
    ['{{ {"__proto__": 1} }}', /"Dict" is not supported/],
  ])('is refused before anything is evaluated: %s', (template, message) => {
    expect(textOf(template)).toMatch(message);
  });
});
