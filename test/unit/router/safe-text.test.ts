import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  headerValueProblem,
  isCookieName,
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

  test('is a header name', () => {
    const bad = dangerous.filter((character) => character !== '#');
    fc.assert(fc.property(fc.string(), bad, (text, character) => !isHeaderName(`${text}${character}`)));
  });
});

test('no header value ends a line, or reads anything but headers and the client certificate', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.constantFrom('%', '[', ']', '(', ')', ',', 'req.hdr', 'host', 'src', '\n'),
          fc.string({ minLength: 1, maxLength: 1 }),
        ),
      }),
      (text) => {
        if (headerValueProblem(text, 'request') !== undefined) return;
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
  expect(headerValueProblem(text, of) === undefined).toBe(isRight);
});

describe('a header value that would stall HAProxy for seconds per request', () => {
  const lower = (times: number): string => `%[req.hdr(a)${',lower'.repeat(times)}]`;

  test.each([
    ['thousands of converters', lower(2_720), 'an expression has 2720 converters, expected at most 2'],
    ['three converters', `x ${lower(2)} ${lower(3)}`, 'an expression has 3 converters, expected at most 2'],
    ['five expressions', lower(1).repeat(5), 'it has 5 expressions, expected at most 4'],
    [
      'much text next to one',
      `${lower(0)}${'a'.repeat(4_096)}`,
      'expected at most 4096 characters with expressions',
    ],
  ])('is refused with %s', (_, text, problem) => {
    expect(headerValueProblem(text, 'request')).toBe(problem);
  });

  test('may have four expressions of two converters, and 4,096 characters with them', () => {
    const text = lower(2).repeat(4);
    expect(headerValueProblem(text, 'request')).toBeUndefined();
    expect(headerValueProblem(text.padEnd(4_096, '%'), 'request')).toBeUndefined();
  });

  test('may have 16,384 characters without an expression', () => {
    expect(headerValueProblem('%%'.repeat(8_192), 'response')).toBeUndefined();
    expect(headerValueProblem('%%'.repeat(8_193), 'response')).toBe('expected at most 16384 characters');
  });
});
