import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isCookieName,
  isHeaderFormat,
  isHeaderName,
  isHostName,
  isPath,
} from '../../../src/router/safe-text.ts';

const dangerous = fc.constantFrom('\n', '\r', '\0', ' ', '\t', '"', "'", '\\', ';', '\u2028', '#', '`', '<');
const withDanger = fc
  .tuple(fc.string(), dangerous, fc.string())
  .map(([before, character, after]) => `/${before}${character}${after}`);

describe('no text with a character that ends a line, an entry, a quoted word or a command', () => {
  test.each([
    ['a host', isHostName],
    ['a path', isPath],
    ['the name of a cookie', isCookieName],
  ])('is %s', (_, isRight) => {
    fc.assert(fc.property(withDanger, (text) => !isRight(text) && !isRight(text.slice(1))));
  });

  test('is the name of a header', () => {
    const bad = dangerous.filter((character) => character !== '#');
    fc.assert(fc.property(fc.string(), bad, (text, character) => !isHeaderName(`${text}${character}`)));
  });
});

test('no value of a header ends a line, or reads more than headers and the client certificate', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.constantFrom('%', '[', ']', '(', ')', ',', 'req.hdr', 'host', 'src', '\n'),
          fc.string({ minLength: 1, maxLength: 1 }),
        ),
      }),
      (text) => {
        if (!isHeaderFormat(text, 'request')) return;
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        const rest = text
          .replaceAll('%%', '')
          .replaceAll(/%(?:\{[^}]*\})?\[(?:req\.hdr\([-\w]+\)|ssl_c_der)[^\]]*\]/g, '');
        expect(rest).not.toContain('%');
      },
    ),
  );
});

test.each([
  ['app.example.com', true],
  ['a', true],
  ['1.2.3.4', true],
  ['app.example.com.', false],
  ['App.example.com', false],
  ['.example.com', false],
  ['a..b', false],
  ['-a.example', false],
  ['*.example.com', false],
  [`${'a'.repeat(63)}.b`, true],
  [`${'a'.repeat(64)}.b`, false],
  ['', false],
])('%j as a host: %s', (text, isRight) => {
  expect(isHostName(text)).toBe(isRight);
});

test.each([
  ['%[req.hdr(host),lower]', 'request', true],
  ['%{+Q}[ssl_c_der,base64]', 'request', true],
  ['default-src \'self\'; img-src "x"', 'response', true],
  ['100%%', 'request', true],
  ['100%', 'request', false],
  ['%[res.hdr(server)]', 'request', false],
  ['%[res.hdr(server)]', 'response', true],
  ['%[env(SECRET)]', 'request', false],
  ['%[src]', 'request', false],
  ['%ci', 'request', false],
  ['%%[src]', 'request', true],
  ['%%%[src]', 'request', false],
  ['', 'request', false],
] as const)('%j as the value of a header in a %s: %s', (text, of, isRight) => {
  expect(isHeaderFormat(text, of)).toBe(isRight);
});
