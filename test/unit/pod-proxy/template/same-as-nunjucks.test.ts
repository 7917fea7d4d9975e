import fc from 'fast-check';
import nunjucks from 'nunjucks';
import { expect, it } from 'vitest';
import { renderJinja } from '../../../../src/pod-proxy/template/jinja.ts';
import { runs } from '../../../helpers/property-seed.ts';

const hosts = { web: ['10.0.0.1', '10.0.0.2', '10.0.0.10'], db: ['10.1.0.1'] };

/** The hosts for nunjucks, whose maps have no methods. */
const hostsWithMethods = Object.defineProperties(
  { ...hosts },
  {
    items: { value: () => Object.entries(hosts) },
    keys: { value: () => Object.keys(hosts) },
    values: { value: () => Object.values(hosts) },
    get: { value: (key: 'web', other: unknown) => hosts[key] ?? other },
  },
);

/** Number, text, list, boolean. `@n` stands for any expression of that kind. nunjucks needs the parentheses, hawser does not. */
type Kind = 'n' | 's' | 'l' | 'b';

const patterns: Readonly<Record<Kind, readonly string[]>> = {
  n: [
    ...['0', '1', '2', '7', '2.5', 'n', '(loop.index|default(4))', '(loop.revindex0|default(3))'],
    ...['(@n + @n)', '(@n - @n)', '(@n * @n)', '(@n - @n + @n - @n)', '(@n / 4)', '(@n // 3)', '(@n % 3)'],
    ...['(@n * @n % 5)', '(@n / 2 * @n)', '(-@n)', '(+@n)', '(@n if @b else @n)'],
    ...['(@s|length)', '(@l|length)', '(@n|abs)', '(@n|round)', '(@n|round(1, "floor"))', '("12"|int)'],
    '("1.5"|float)',
  ],
  s: [
    ...['"a"', "'Web one'", '"b\\n c"', '""', 's', '(@l|first|default("none"))', '(@l|last|default("none"))'],
    ...['(@s ~ @n)', '(@s ~ @s)', '(@s + @s)', '(@s if @b else @s)', '(@l|join("-"))', '(@l|join)'],
    ...['(@s|upper)', '(@s|lower|title)', '(@s|capitalize)', '(@s|trim)', '(@s|replace("a", "$&"))'],
    ...['("ab"|replace("", @s))', '(@s|replace("e", "", 1))', '(@s|indent(2))', '(@s|indent(3, true))'],
    ...['(@s|reverse)', '(@n|string)', '(maybe|default(@s))', '(maybe|default(@s, true))', '(maybe|upper)'],
    ...['(k|default(@s))', '("abc"[1])', '(@s and @s)', '(@s or @s)'],
  ],
  l: [
    ...[
      '[]',
      '[@s]',
      '[@s, @s, "B"]',
      'hosts.web',
      'hosts["db"]',
      'hosts.get("cache", @l)',
      '(v|default(@l))',
    ],
    ...[
      '(@l|sort)',
      '(@l|sort(true))',
      '(@l|sort(false, true))',
      '(@l|reverse)',
      '(@s|list)',
      'hosts.keys()',
    ],
  ],
  b: [
    ...['true', 'false', '(@n < @n)', '(@n >= @n)', '(@s < @s)', '(@s <= @s)', '(@n == @n)', '(@s != @s)'],
    ...['(not (@b))', '(@b and @b)', '(@b or @b)', '(@s in @l)', '(@s not in @l)', '(@s in @s)'],
    ...['("web" in hosts)', '("cache" in hosts)', '(maybe is defined)', '(maybe is undefined)'],
    ...[
      '(maybe == none)',
      '(maybe == @s)',
      '((2 * 3) is even)',
      '((2 * 3) is not odd)',
      'loop.first',
      'loop.last',
    ],
  ],
};

const piece = fc.constantFrom(
  'x',
  ' ',
  '\n',
  '  \n ',
  'server ',
  '{# no #}',
  '{#- no -#}',
  '{%raw%}{{x{%endraw%}',
);

const texts = fc.letrec<Record<Kind | 'statement' | 'body', string>>((tie) => {
  const filled = (pattern: string): fc.Arbitrary<string> => {
    const holes = [...pattern.matchAll(/@(body|n|s|l|b)/g)].map(([, kind]) => tie(kind as Kind | 'body'));
    return fc
      .tuple(fc.tuple(...holes), fc.infiniteStream(fc.constantFrom('', '', '', '-')))
      .map(([values, trims]) => {
        const rest = values.values();
        const text = pattern.replaceAll(/@(body|n|s|l|b)/g, () => rest.next().value ?? '');
        return text.replaceAll(/(?<=\{[%{]) | (?=[%}]\})/g, (space) => trims.next().value || space);
      });
  };
  const oneOf = (options: readonly string[]) =>
    fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...options.map(filled));
  return {
    n: oneOf(patterns.n),
    s: oneOf(patterns.s),
    l: oneOf(patterns.l),
    b: oneOf(patterns.b),
    statement: fc.oneof(
      { depthSize: 'small' },
      piece,
      ...[
        ...[
          '{{ @n }}',
          '{{ @s }}',
          '{{ @l }}',
          '{{ @b }}',
          '{{ maybe }}',
          '{{ k }}',
          '{{ loop.index }}',
          '{{ nothing.at.all }}',
        ],
        ...[
          '{{ @s if @b }}',
          '{% if @b %}@body{% endif %}',
          '{% if @n %}@body{% elif @s %}@body{% else %}@body{% endif %}',
        ],
        ...[
          '{% for maybe in @l %}@body{% endfor %}',
          '{% for s in @l %}@body{% endfor %}',
          // In nunjucks' `else`, the loop variable shadows the outer variable.
          '{% for w in @l %}{{ w }}@body{% else %}@body{% endfor %}',
        ],
        ...[
          '{% for k, v in hosts.items() %}@body{% endfor %}',
          '{% for k, v in hosts|dictsort %}@body{% endfor %}',
        ],
        ...['{% for n in range(3) %}@body{% endfor %}', '{% for n in range(7, 1, -2) %}@body{% endfor %}'],
        ...[
          '{% set n = (@n % 7) %}',
          '{% set s = (@s ~ "-")[0] %}',
          '{% set maybe = (@s ~ "-")[0] %}',
          '{% set s %}@body{% endset %}{% set s = (s ~ "-")[0] %}',
        ],
        '{% for k in [@s, @s] %}{{ n }}{{ maybe }}{% set n = (@n % 7) %}{% set maybe = (@s ~ "-")[0] %}{{ maybe }}{% endfor %}',
        '{% filter upper %}@body{% endfilter %}',
      ].map(filled),
    ),
    body: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  };
});

it('a supported template has the same output as in nunjucks', () => {
  const environment = new nunjucks.Environment(null, { autoescape: false });
  const template = texts.body.map(
    (body) => `{% set n = 3 %}{% set s = "Ab c" %}<${body}>{{ n }}{{ s }}{{ maybe }}`,
  );
  fc.assert(
    fc.property(template, (each) => {
      const expected = environment.renderString(each, { hosts: hostsWithMethods });
      const text = expected.endsWith('\n') ? expected : `${expected}\n`;
      expect(renderJinja({ template: each, model: { hosts, certs: {} } })).toEqual({
        kind: 'rendered',
        text,
      });
    }),
    { numRuns: runs(300), seed: 1 },
  );
});
