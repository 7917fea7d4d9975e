import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, textOf } from '../../../../src/operate/page/html.ts';

/** The text that a browser displays. */
function read(escaped: string): string {
  const names: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#96': '`',
  };
  return escaped.replaceAll(/&([^;]+);/g, (_, name: string) => names[name] ?? '?');
}

test('no name opens a tag or ends an attribute, and every name is displayed unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (name) => {
      const [, attribute = '', text = ''] =
        /^<p title="([^"]*)">([^<]*)<\/p>$/.exec(textOf(html`<p title="${name}">${name}</p>`)) ?? [];
      expect([attribute, text].map(read)).toEqual([name, name]);
    }),
    { examples: [['"><script>alert(1)</script>'], ["' onload='x"], ['&amp;<!--']] },
  );
});

test('control, bidirectional and invisible characters are shown as a dot', () => {
  expect(textOf(html`${'cp-1\u202egnp.exe\u0000\u200b\u2028\ud800'}`)).toBe('cp-1·gnp.exe····');
});

test('HTML is not escaped twice, lists are joined, and empty values are empty', () => {
  const items = ['<a>', 'b'].map((each) => html`<li>${each}</li>`);
  expect(textOf(html`<ul>${items}</ul>${null}${undefined}${0}`)).toBe(
    '<ul><li>&lt;a&gt;</li><li>b</li></ul>0',
  );
});
