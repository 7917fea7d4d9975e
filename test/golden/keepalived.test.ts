import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { buildKeepalivedModel } from '../../src/vip/group/keepalived-model.ts';
import type { KeepalivedSettings } from '../../src/vip/group/vrrp.ts';
import { createNetNamespace, type NetNamespace } from '../helpers/net-namespace.ts';
import { renderKeepalived } from '../helpers/render-keepalived.ts';
import { goldenCases } from './golden-cases.ts';

const directory = fileURLToPath(new URL('keepalived/', import.meta.url));
const templatePath = fileURLToPath(new URL('../../templates/keepalived.conf.ejs', import.meta.url));
const brokenPath = fileURLToPath(new URL('../fixtures/broken/keepalived.conf', import.meta.url));

const nodes = z.array(z.strictObject({ name: z.string(), addresses: z.array(z.string()) }));
const caseSchema = z.strictObject({
  settings: z.partial(
    z.strictObject({
      nodeName: z.string(),
      apiVips: z.array(z.string()),
      ingressVips: z.array(z.string()),
      trackFiles: z.strictObject({ api: z.string(), ingress: z.string() }),
    }),
  ),
  controlPlane: nodes,
  allNodes: nodes,
  interfaces: nodes,
});

const usual: KeepalivedSettings = {
  clusterName: 'managed',
  apiVips: [],
  ingressVips: [],
  nodeName: 'master-0',
  notifyFifo: '/var/run/keepalived/notify.fifo',
  trackFiles: { api: '/var/run/keepalived/lb.track', ingress: '/var/run/keepalived/ingress.track' },
};

/** keepalived looks up the interfaces that a file names, so they must exist. */
let world: NetNamespace;
let scratch: string;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'hawser-golden-'));
  world = await createNetNamespace();
  await world.run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'far0');
});
afterAll(async () => {
  await world?.remove();
  if (scratch !== undefined) rmSync(scratch, { recursive: true });
});

function render(input: string): string {
  const { settings, ...seen } = caseSchema.parse(JSON.parse(input));
  const all = { ...usual, ...JSON.parse(JSON.stringify(settings)) };
  const built = buildKeepalivedModel({ ...seen, settings: all, routes: [] });
  if (built.kind === 'not-ready') throw new Error(built.reason);
  const outcome = renderKeepalived(readFileSync(templatePath, 'utf8'), built.model, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.text;
}

/** keepalived exits with 0 only if it has nothing at all to complain about. */
async function verdict(file: string) {
  const { exitCode, stdout, stderr } = await runCommand(
    [...world.prefix, 'keepalived', '--config-test', '-f', file],
    { timeoutMs: 20_000 },
  );
  return { exitCode, said: `${stdout}${stderr}`.trim() };
}

describe.each(await goldenCases(directory, 'three-nodes.golden', render))(
  'golden $name',
  ({ name, input, compare }) => {
    it('is the output of the template', () => compare(render(input)));

    it('is accepted by keepalived without a message', async () => {
      const file = join(scratch, name);
      // The track files are in a folder of the pod. keepalived 2.3 checks that it exists.
      writeFileSync(file, render(input).replaceAll('/var/run/keepalived', scratch));
      expect(await verdict(file)).toEqual({ exitCode: 0, said: '' });
    });
  },
);

it('keepalived refuses a broken file and says where', async () => {
  const { exitCode, said } = await verdict(brokenPath);
  expect(exitCode).not.toBe(0);
  expect(said).toMatch(/keepalived\.conf: Line \d+.*virtual_ruoter_id/);
});
