import { expect, it } from 'vitest';
import { isSafeText, safeText } from '../../../../src/engine/render/safe-text.ts';

it('prints names, addresses, paths and numbers unchanged', () => {
  for (const text of ['master-0.example', '[fd00::1]:6443', '/run/a_b/c.sock', 'fe80::1%eth0', 'a@b,c+d=e~'])
    expect(safeText(text)).toBe(text);
  expect(safeText(6443)).toBe('6443');
});

it('refuses characters that could end a word or line, or have a special meaning', () => {
  for (const bad of [...' \t\r\n\u0000\u007f\u2028\u00a0"\'#\\$`{}()<>;|&*?!^é'])
    expect(() => safeText(`a${bad}b`)).toThrow('Cannot print the value');
});

it('refuses missing and empty values instead of printing nothing', () => {
  for (const missing of [undefined, null, '', {}, [], true])
    expect(() => safeText(missing)).toThrow('Cannot print');
});

it('refuses every character that is not on the list', () => {
  const listed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/@%+,=~[]-';
  const allowed = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isSafeText);
  expect(allowed.toSorted()).toEqual([...listed].toSorted());
  expect(isSafeText('\u{1f600}')).toBe(false);
});
