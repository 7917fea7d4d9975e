import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { safeServerName } from '../../src/engine/kube/control-plane/server-name.ts';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../src/haproxy/check-configuration.ts';
import { defaultLoadBalancerSettings } from '../helpers/load-balancer-settings.ts';
import { renderLoadBalancer } from '../helpers/render-load-balancer.ts';
import { fileFolder } from '../helpers/test-folder.ts';
import { goldenCases } from './golden-cases.ts';

const directory = fileURLToPath(new URL('haproxy/', import.meta.url));
const templatePath = fileURLToPath(new URL('../../templates/haproxy.cfg.ejs', import.meta.url));
const brokenPath = fileURLToPath(new URL('../fixtures/broken/haproxy.cfg', import.meta.url));

const caseSchema = z.strictObject({
  settings: z.partial(
    z.strictObject({
      lbPort: z.number(),
      statPort: z.number(),
      healthPort: z.number(),
      apiPort: z.number(),
      hasIpv6: z.boolean(),
      worker: z.boolean(),
      clusterName: z.string(),
      extraPorts: z.array(
        z.strictObject({
          name: z.string(),
          port: z.number(),
          listenPort: z.number(),
          serverPort: z.number(),
          check: z.enum(['tcp', 'https']),
        }),
      ),
    }),
  ),
  servers: z.array(
    z.strictObject({
      name: z.string(),
      address: z.string(),
      port: z.number(),
      drained: z.exactOptional(z.literal(true)),
    }),
  ),
});

const scratch = fileFolder();

const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });

/** Names are made safe as in the program. */
function render(input: string): string {
  const { settings, servers } = caseSchema.parse(JSON.parse(input));
  const named = servers.map((server) => ({ ...server, name: safeServerName(server.name) ?? 'unnamed' }));
  const all = { ...defaultLoadBalancerSettings, ...JSON.parse(JSON.stringify(settings)) };
  const outcome = renderLoadBalancer(readFileSync(templatePath, 'utf8'), all, named, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.text;
}

describe.each(await goldenCases(directory, 'three-servers.golden', render))(
  'golden $name',
  ({ name, input, compare }) => {
    it('is the output of the template', () => compare(render(input)));

    it('is accepted by HAProxy', async () => {
      const file = join(scratch, name);
      writeFileSync(file, render(input));
      expect(await check(file)).toEqual({ kind: 'valid' });
    });
  },
);

it('HAProxy refuses a broken file and says where', async () => {
  const outcome = await check(brokenPath);
  expect(outcome).toMatchObject({
    kind: 'invalid',
    detail: expect.stringMatching(/haproxy\.cfg:\d+.*naster/),
  });
});
