import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPodProxies,
  type PodProxies,
  type PodProxy,
  webPods,
  webTemplate,
} from '../../helpers/pod-proxy.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let world: PodProxies;
let proxy: PodProxy;
let seen: string;

beforeAll(async () => {
  world = await createPodProxies(['haproxy-1']);
  world.show({ annotations: { 'hawser.dev/config': webTemplate }, pods: webPods });
  proxy = await world.start('haproxy-1', 29_452);
  await proxy.serves('web-1', 'web-2', 'web-3');
  seen = join(world.cluster.dir, 'seen');
});

afterAll(() => world[Symbol.asyncDispose]());

/** A Lua script that records each process that loads it, and the parent of that process. */
function script(name: string, more = ''): string {
  const path = join(world.cluster.dir, name);
  writeFileSync(
    path,
    `local read = function(name)
  local file = io.open(name)
  local text = file and file:read("a") or ""
  if file then file:close() end
  return (text:gsub("%z", " "))
end
local parent = read("/proc/self/stat"):match("%) %a (%d+)")
local out = io.open("${seen}", "a")
out:write("${name}|", read("/proc/self/cmdline"), "|", read("/proc/" .. parent .. "/cmdline"), "\\n")
out:close()
${more}`,
  );
  return path;
}

/** The command line of each process that loaded the script, and that of its parent. */
const loads = (name: string): readonly { readonly own: string; readonly parent: string }[] =>
  (existsSync(seen) ? readFileSync(seen, 'utf8').trimEnd().split('\n') : [])
    .map((line) => line.split('|'))
    .flatMap(([script, own = '', parent = '']) => (script === name ? { own, parent } : []));

const show = (template: string): void =>
  world.show({ annotations: { 'hawser.dev/config': template }, pods: webPods });

const expectOnlyTheSupervisor = (name: string): void => {
  expect(loads(name).map(({ own }) => own)).toContainEqual(expect.stringContaining(' -c '));
  for (const { parent } of loads(name)) expect(parent).toContain(' haproxy supervise ');
};

test('lua-load in the annotation runs in children of the supervisor, never of the controller', async () => {
  show(`${webTemplate}\nglobal\n  lua-load ${script('served.lua')}\n`);
  await waitFor('the script to be served', () => proxy.configText().includes('served.lua'));
  await proxy.serves('web-1', 'web-2', 'web-3');
  expectOnlyTheSupervisor('served.lua');
});

test('lua-load in a refused template runs in no child of the controller', async () => {
  show(`${webTemplate}\nglobal\n  lua-load ${script('refused.lua', 'error("no")')}\n`);
  await waitFor('the refusal', async () => (await proxy.status()).problem?.reason === 'ConfigurationRefused');
  expect((await proxy.status()).problem?.detail).toContain('refused.lua');
  expect(proxy.configText()).not.toContain('refused.lua');
  expectOnlyTheSupervisor('refused.lua');
});

test('a template waits while the supervisor is away, since the controller never validates it itself', async () => {
  await proxy.stopSupervisor();
  show(`${webTemplate}\nglobal\n  lua-load ${script('later.lua')}\n`);
  await waitFor(
    'the status to say so',
    async () => (await proxy.status()).lastChange?.result === 'unreachable',
  );
  expect(loads('later.lua')).toEqual([]);
  await proxy.startSupervisor();
  await waitFor('the script to be served', () => proxy.configText().includes('later.lua'));
  await proxy.serves('web-1', 'web-2', 'web-3');
  expectOnlyTheSupervisor('later.lua');
});
