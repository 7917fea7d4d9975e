import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { hawserVersion } from '../../../src/engine/system/version.ts';

const folder = join(import.meta.dirname, '../../../manifests');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.yaml') && !name.endsWith('kustomization.yaml'),
);
const objects = names.flatMap((name) =>
  [...parseAllDocuments(readFileSync(join(folder, name), 'utf8'))].map((document) => {
    const { kind, metadata } = document.toJS();
    return { what: `${kind} of ${name}`, labels: metadata.labels };
  }),
);

test.each(objects)(
  '$what has the labels that Kubernetes recommends, with the version of hawser',
  ({ labels }) => {
    expect(labels).toMatchObject({
      'app.kubernetes.io/name': 'hawser',
      'app.kubernetes.io/instance': 'hawser',
      'app.kubernetes.io/version': hawserVersion(),
      'app.kubernetes.io/component': expect.stringMatching(/^(?:haproxy|keepalived|rbac|router|pod-proxy)$/),
      'app.kubernetes.io/part-of': 'hawser',
      'app.kubernetes.io/managed-by': 'hawser',
    });
  },
);

test('there is something to look at', () => expect(objects.length).toBeGreaterThan(7));
