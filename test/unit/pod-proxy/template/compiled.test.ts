import compiler from 'nunjucks/src/compiler.js';
import { expect, it } from 'vitest';
import { isAsExpected } from '../../../../src/pod-proxy/template/compiled.ts';

const compile = (template: string) => compiler.compile(template, [], [], 'template', {});

it('every construct of a template is compiled to known words', () => {
  const template = `{% for k, v in hosts.items() %}{% for i in v %}{{k}}-{{loop.index}} {{ i|join(',', 1)|upper }}
    {% else %}x{% endfor %}{% endfor %}{% set x = [1,2]|length %}{% set y %}{{ x }}{% endset %}{# "a" #}
    {% if x is defined and not y in hosts or 1 < 2 %}{% elif x %}b"'\\\`{% else %}{{ 1 if x else 2 }}{% endif %}
    {{ a ~ "b\\"" + 1 - 2 * 3 / 4 // 5 % 6 }} {{ -x[0] }} {{ +range(3) }} {% filter upper %}a{% endfilter %}
    {{ true }} {{ none }} {{ hosts.a["b"][-1] }} {{ (1, 2.5) }} {% raw %}constructor{% endraw %}{{ "constructor" }}`;
  expect(isAsExpected(compile(template))).toBe(true);
});

it.each([
  '{{ a"^fetch`x`^" }}',
  '{{ a"^fetch^" }}',
  '{% set x %}{{ a"^process^" }}{% endset %}',
  String.raw`{{ hosts['\\", context, [])), env.opts.autoescape); throw Error("code") //'].items() }}`,
  String.raw`{{ hosts['\\", context, [])), env.opts.autoescape); env["opts"] //'].items() }}`,
  '{{ 1 is "a\\")^env.opts" }}',
  '{% include "x" %}',
  '{% macro a() %}{% endmacro %}',
  '{{ r/x/ }}',
])('a text that nunjucks does not quote is seen in what it compiles: %s', (template) => {
  expect(isAsExpected(compile(template))).toBe(false);
});
