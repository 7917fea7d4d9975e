import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { pods } from '../../../src/commands/pods.ts';
import { podLayout } from '../../../src/operate/install/layout.ts';
import { applyPatch } from '../../../src/operate/install/patches.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
const [, patch = ''] =
  /### SELinux\n[^`]*(?:`[^`\n]+`[^`]*)*```yaml\n(.*?)```/s.exec(read('docs/install.md')) ?? [];

test.each(pods)('the patch in docs/install.md gives every container of $name the type spc_t', (pod) => {
  const document = parseDocument(read(podLayout(pod).source.manifest));
  const before = document.toJS().spec;
  applyPatch(document, {
    path: 'docs/install.md',
    target: pod.name,
    type: 'strategic',
    contents: [parse(patch)],
  });
  const { securityContext, ...rest } = document.toJS().spec;
  expect(securityContext).toEqual({ ...before.securityContext, seLinuxOptions: { type: 'spc_t' } });
  // No container sets its own type, which would override the pod's.
  expect(JSON.stringify(rest)).not.toContain('seLinuxOptions');
});
