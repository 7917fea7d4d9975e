import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const relabeling = z.object({
  targetLabel: z.optional(z.string()),
  replacement: z.optional(z.string()),
  action: z.optional(z.string()),
  regex: z.optional(z.string()),
});
const podMonitor = z.object({
  metadata: z.object({ namespace: z.string() }),
  spec: z.object({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    podMetricsEndpoints: z.array(
      z.object({ path: z.string(), authorization: z.unknown(), relabelings: z.array(relabeling) }),
    ),
  }),
});

const monitors = parseAllDocuments(read('manifests/monitoring/podmonitor.yaml')).map((each) =>
  podMonitor.parse(each.toJS()),
);
const endpoints = monitors.flatMap(({ spec }) => spec.podMetricsEndpoints);
const replacements = (label: string) =>
  endpoints.map(({ relabelings }) =>
    relabelings.filter(({ targetLabel }) => targetLabel === label).map(({ replacement }) => replacement),
  );

it('scrapes each pod at its port for other machines, also over IPv6, with the token', () => {
  const { haproxyMetrics, keepalivedMetrics } = defaultPorts;
  const ports = [...Array(3).fill(haproxyMetrics), ...Array(2).fill(keepalivedMetrics)];
  expect(replacements('__address__')).toEqual(ports.map((port) => [`$1:${port}`, `[$1]:${port}`]));
  for (const { authorization } of endpoints)
    expect(authorization).toEqual({ credentials: { name: 'hawser-metrics', key: 'token' } });
});

it('scrapes a pod once, not once per container', () => {
  for (const { relabelings } of endpoints)
    expect(relabelings.filter(({ action }) => action === 'keep')).toHaveLength(1);
});

it('has the jobs in the table of docs/monitoring.md, each once', () => {
  const jobs = replacements('job').flat();
  const listed = [...read('docs/monitoring.md').matchAll(/^\| `(hawser-[a-z-]+)` \| `127\.0\.0\.1:/gm)];
  expect(jobs.toSorted()).toEqual(listed.map(([, job]) => job).toSorted());
});

it('selects the static pods by the labels in their manifests', () => {
  for (const { metadata, spec } of monitors) {
    const component = spec.selector.matchLabels['app.kubernetes.io/component'];
    const pod = read(`manifests/${component}.yaml`);
    expect(pod).toContain(`namespace: ${metadata.namespace}\n`);
    expect(pod).toContain(`app.kubernetes.io/component: ${component}\n`);
  }
});
