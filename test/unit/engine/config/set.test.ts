import { expect, it } from 'vitest';
import {
  mustBeSet,
  type Rendered,
  revisionOf,
  SET_FOLDER,
  sha256Of,
} from '../../../../src/engine/config/set.ts';

const map = { name: 'maps/hosts.map', content: 'a.example one\n' };
const set: Rendered = { text: `default-path origin ${SET_FOLDER}\n`, mode: 0o644, others: [map] };

it('the revision of a set without other files is the hash a supervisor reports', () => {
  expect(revisionOf({ text: 'alone', mode: 0o644 })).toBe(sha256Of('alone'));
});

it.each([
  ['the main file', { ...set, text: `${set.text}#` }],
  ['the content of a file', { ...set, others: [{ ...map, content: 'a.example two\n' }] }],
  ['the name of a file', { ...set, others: [{ ...map, name: 'maps/host.map' }] }],
  ['the secrecy of a file', { ...set, others: [{ ...map, secret: true }] }],
  ['the number of files', { ...set, others: [map, { name: 'other', content: '' }] }],
])('the revision changes with %s', (_what, other) => {
  expect(revisionOf(other)).not.toBe(revisionOf(set));
});

const manyFiles = Array.from({ length: 32_769 }, (_, index) => ({ name: `f${index}`, content: '' }));

it.each([
  ['MAX_CONFIGURATION_BYTES is 134217728', { ...set, text: 'x'.repeat(128 * 1024 * 1024 + 1) }],
  ['32769 files, the limit MAX_SET_FILES is 32768', { ...set, others: manyFiles }],
  [
    'MAX_SET_BYTES is 134217728',
    { ...set, others: [{ ...map, content: Buffer.alloc(128 * 1024 * 1024 + 1) }] },
  ],
])('the error for a set that is too large names the limit: %s', (expected, tooLarge) => {
  expect(() => mustBeSet(tooLarge)).toThrow(expected);
});

it.each(['../up', '/etc/passwd', 'maps/../../up', '.hidden', 'maps/', 'maps//two', 'a b', ''])(
  'a file of a set cannot be named "%s"',
  (name) => {
    expect(() => mustBeSet({ ...set, others: [{ ...map, name }] })).toThrow('expected a relative path');
  },
);

it('a main file that does not contain its folder is refused', () => {
  expect(() => mustBeSet({ ...set, text: 'default-path config\n' })).toThrow(SET_FOLDER);
  expect(() => mustBeSet({ text: 'alone', mode: 0o644 })).not.toThrow();
});
