import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../src/haproxy/check-configuration.ts';
import { configurationText } from '../../src/pod-proxy/configuration-set.ts';
import { downstreamPods, hostsOf } from '../../src/pod-proxy/hosts.ts';
import { readOwnPod, readPod } from '../../src/pod-proxy/pod/pod.ts';
import { requestsIn } from '../../src/pod-proxy/requests.ts';
import { renderJinja } from '../../src/pod-proxy/template/jinja.ts';
import { downstreamPod } from '../helpers/pod-objects.ts';
import { fileFolder } from '../helpers/test-folder.ts';
import { goldenCases } from './golden-cases.ts';

/** The proxy's own pod and the downstream pods (YAML), and the expected configuration. */
const directory = fileURLToPath(new URL('pod-proxy/', import.meta.url));

const caseSchema = z.strictObject({
  own: z.unknown(),
  pods: z.array(
    z.strictObject({
      name: z.string(),
      app: z.exactOptional(z.string()),
      ip: z.exactOptional(z.string()),
      ready: z.exactOptional(z.boolean()),
    }),
  ),
});

const scratch = fileFolder();

const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });

function render(input: string): string {
  const { own, pods } = caseSchema.parse(parse(input));
  const facts = readOwnPod(own);
  if (facts === undefined) throw new Error('the case has no own pod');
  const { config } = requestsIn(facts.annotations);
  if (config.kind !== 'annotation') throw new Error('the case has no template');
  const downstreams = pods.flatMap((each) => readPod(downstreamPod(each)) ?? []);
  const outcome = renderJinja({
    template: config.text,
    model: { hosts: hostsOf(downstreamPods(facts, downstreams)), certs: {} },
  });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return configurationText(outcome.text, { statsSocket: '/var/lib/haproxy/run/haproxy.sock' });
}

const cases = await goldenCases(directory, 'http.golden', render);

describe.each(cases)('golden pod-proxy/$name', ({ name, input, compare }) => {
  it('is rendered from the annotation', () => compare(render(input)));

  it('is accepted by HAProxy', async () => {
    const file = join(scratch, name);
    writeFileSync(file, render(input));
    expect(await check(file)).toEqual({ kind: 'valid' });
  });
});
