import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRendered, RENDERED_MARK } from '../../../../src/engine/render/rendered-mark.ts';

const templates = join(import.meta.dirname, '../../../../templates');

test.each(['haproxy.cfg.ejs', 'keepalived.conf.ejs'])('%s has the mark', (name) => {
  expect(isRendered(readFileSync(join(templates, name), 'utf8'))).toBe(true);
});

test.each([
  ['an empty file', ''],
  ['a distribution’s file', 'global\n\tlog /dev/log\tlocal0\n\tdaemon\n'],
  ['a file that names the mark outside a comment', `description "${RENDERED_MARK}"\n`],
])('%s is foreign', (_what, text) => {
  expect(isRendered(text)).toBe(false);
});

test('the mark is recognised below lines that an operator added', () => {
  expect(isRendered(`# ours\nglobal\n  # ${RENDERED_MARK}, as it says\n`)).toBe(true);
});
