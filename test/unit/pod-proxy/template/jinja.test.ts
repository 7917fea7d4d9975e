import { describe, expect, it } from 'vitest';
import { renderJinja } from '../../../../src/pod-proxy/template/jinja.ts';

const model = { hosts: { db: ['10.1.0.1'], web: ['10.0.0.1', '10.0.0.2'] } };

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
    ['trims white space at {%-', 'a\n  {%- if hosts.web %}\n  b\n  {%- endif %}', 'a\n  b\n'],
    [
      'loops over pairs',
      '{% for k, ips in hosts.items() %}{{k}}:{{ips|join(",")}};{% endfor %}',
      'db:10.1.0.1;web:10.0.0.1,10.0.0.2;\n',
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
    [
      'sets variables and calculates',
      '{% set n = hosts.web|length * 2 %}{{ n + 1 }} {{ 7 // 2 }} {{ "a" ~ n }}',
      '5 3 a4\n',
    ],
    [
      'has the usual filters',
      '{{ "web"|upper }} {{ cache|default("none") }} {{ hosts.web|sort|last }}',
      'WEB none 10.0.0.2\n',
    ],
    ['captures text', '{% set x %}a{{ hosts.db[0] }}{% endset %}{{ x }}', 'a10.1.0.1\n'],
    ['counts with range', '{% for i in range(2, 4) %}{{ i }}{% endfor %}', '23\n'],
    ['keeps what is raw, and drops comments', '{% raw %}{{ x }}{% endraw %}{# no #}', '{{ x }}\n'],
  ])('%s', (_what, template, text) => {
    expect(textOf(template)).toBe(text);
  });

  it.each([
    ['a loop that is never closed', 'a\n{% for x in hosts %}', /unexpected end of file/],
    ['an expression that ends early', 'a\n{{ 1 + }}', /line 2: unexpected token: }}/],
    ['an unknown filter', 'a\n\n{{ hosts|nope }}', /line 3: the filter "nope" is not supported/],
    ['another template', '{% include "x" %}', /line 1: "Include" is not supported/],
    ['a macro', '{% macro a() %}{% endmacro %}', /"Macro" is not supported/],
    ['nothing to print', '{# nothing #}', /it prints nothing/],
    [
      'more text than a configuration has',
      '{% for i in range(2000) %}{{ "x"|indent(300, true) }}{% endfor %}',
      /MAX_RENDERED_CHARACTERS/,
    ],
  ])('is refused for %s', (_what, template, message) => {
    expect(textOf(template)).toMatch(message);
  });

  it('is stopped when it takes too long', () => {
    const template = '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}x';
    const outcome = renderJinja({ template, model }, 50);
    expect(outcome).toEqual({
      kind: 'failed',
      message: 'Cannot render the template: it was not done within 50 ms',
    });
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
    // Its text would end the string that names the call's target in the compiled template.
    [
      String.raw`{{ hosts['\\", context, [])), env.opts.autoescape); throw Error("code") //'].items() }}`,
      /call .* is not supported/,
    ],
    ['{% set x %}{% include "y" %}{% endset %}', /"Include" is not supported/],
    ['{% set x %}{{ a"^fetch`x`^" }}{% endset %}', /name .* is not supported/],
    ['{% filter upper %}{{ a"^fetch`x`^" }}{% endfilter %}', /name .* is not supported/],
    ['{% if a"^fetch`x`^" %}{% elif b"^fetch`x`^" %}{% endif %}', /name .* is not supported/],
    ['{{ "x"|join(a"^fetch`x`^") }}', /name .* is not supported/],
    ['{{ 1 if a"^fetch`x`^" else 2 }}', /name .* is not supported/],
    ['{{ hosts[a"^fetch`x`^"] }}', /name .* is not supported/],
    ['{{ [a"^fetch`x`^"] }}', /name .* is not supported/],
    ['{{ 1 < a"^fetch`x`^" }}', /name .* is not supported/],
    ['{{ r/(a+)+$/ }}', /value .* is not supported/],
    [`{% set 'a"^fetch^"' = 1 %}`, /target "set" is not supported/],
    [`{% for a, 'b"^fetch^"' in hosts.items() %}{% endfor %}`, /variable "for" is not supported/],
    ['{{ {"__proto__": 1} }}', /"Dict" is not supported/],
  ])('is refused before it becomes code: %s', (template, message) => {
    expect(textOf(template)).toMatch(message);
  });
});
