import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRouterTemplate } from '../../../../src/router/render/router-template.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const folder = fileFolder();

async function read(text: string) {
  const path = join(folder, 'template');
  writeFileSync(path, text);
  return await readRouterTemplate(path);
}

test('a Go template of openshift-router is recognized and refused', async () => {
  expect(await read('{{- define "conf/haproxy.config" }}\nglobal\n{{- end }}\n')).toEqual({
    kind: 'unreadable',
    message: expect.stringMatching(
      /^Cannot use template ".*template": it is a Go template of openshift-router, expected an EJS file/,
    ),
  });
});

test('an EJS template may contain braces', async () => {
  expect(await read('global\n<% /* {{ */ %>\n')).toMatchObject({ kind: 'read' });
});

test('without a file the shipped template is used', async () => {
  expect(await readRouterTemplate(undefined)).toMatchObject({
    kind: 'read',
    path: 'templates/router.cfg.ejs',
  });
});
