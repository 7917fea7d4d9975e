import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clusters } from '../../../src/commands/version-report.ts';

const root = join(import.meta.dirname, '../../..');

test.each(clusters)(
  'docs/support.md and the README have the cluster listed by hawser version: %s',
  (cluster) => {
    const page = readFileSync(join(root, 'docs/support.md'), 'utf8');
    const [, day = '', commit = ''] = /\((\d{4}-\d\d-\d\d), commit (\w+)\)$/.exec(cluster) ?? [];
    expect(page).toContain(`${day}, commit ${commit}`);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(day);
  },
);
