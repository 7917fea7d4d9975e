import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { othersOf } from '../../../src/engine/config/set.ts';
import { decodeChangeRequest } from '../../../src/haproxy/runtime/change.ts';
import { describeConfiguration } from '../../../src/haproxy/runtime/describe-configuration.ts';
import { createRuntime } from '../../../src/haproxy/runtime/execute.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { decide } from '../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../src/router/follow/read-object-list.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { writeTrial } from '../../../src/router/render/write-out.ts';
import { compareSets } from '../../../src/router/serve/set-difference.ts';
import { createNetNamespace } from '../../helpers/net-namespace.ts';
import { type Printed, print } from '../../helpers/router/printed.ts';
import { routerSettings } from '../../helpers/router/router-settings.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type ChangingTenant, changingTenants, tenantNumbered, tenantPem } from '../hostile-routes.ts';
import { JUDGE_WITHIN_MS } from '../judge.ts';
import { differingFiles } from '../running-files.ts';
import { openScratchFolder } from '../scratch-folder.ts';
import { attackTogether, type OpenTarget, type Target } from '../target.ts';

async function open(): Promise<OpenTarget> {
  await using owned = new AsyncDisposableStack();
  const { path: dir } = owned.use(openScratchFolder());
  const world = owned.use(await createNetNamespace());
  const statsSocket = join(dir, 'stats.sock');
  const settings = routerSettings({
    ROUTER_THREADS: '1',
    ROUTER_MAX_CONNECTIONS: '200',
    HAWSER_STATS_SOCKET: statsSocket,
  });
  const fallback = selfSigned('default', new Date());
  const decided = (tenants: readonly (readonly unknown[])[]) =>
    decide(readObjectList(JSON.stringify(tenants.flat())).objects, settings);
  const printed = (tenants: readonly (readonly unknown[])[]) =>
    print(settings, decided(tenants).model.backends, fallback);

  const compare = compareSets(settings, Number.MAX_SAFE_INTEGER);
  /** A path that does not fit into a command is a map line that needs a reload. Nothing else needs one. */
  const needsReload = ({
    before,
    after,
  }: { readonly [when in keyof ChangingTenant]: readonly unknown[] }): boolean => {
    const { reload } = compare(printed([before]), printed([after]));
    for (const { reason } of reload) assert.match(reason, /^"maps\/\S+" differs$/);
    return reload.length > 0;
  };

  /** Changes a running HAProxy from the first set to the second at runtime. */
  const change = async (before: Printed, after: Printed): Promise<void> => {
    const { changes, reload } = compare(before, after);
    assert.deepEqual(reload, []);
    if (changes.length === 0) return;
    const folder = mkdtempSync(join(dir, 'run-'));
    const files = join(folder, 'haproxy.cfg.files');
    mkdirSync(files);
    await writeTrial(files, before);
    const sent = JSON.stringify({ from: 'a', to: 'b', changes });
    const order = decodeChangeRequest(sent);
    assert.deepEqual(order?.changes, changes);
    const [program, ...argv] = [...world.prefix, 'haproxy', '-db', '-f', join(files, 'haproxy.cfg')];
    const haproxy = spawn(program ?? '', argv, { stdio: 'ignore' });
    const ended = once(haproxy, 'exit');
    try {
      const tell = (command: string) => askRuntimeApi(statsSocket, command, JUDGE_WITHIN_MS);
      await waitFor(
        'HAProxy to answer',
        async () => (await tell('show info')) !== undefined,
        JUDGE_WITHIN_MS,
      );
      await mustFollow(tell, order ?? { changes: [] }, after);
    } finally {
      haproxy.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    }
  };
  const judge = async (all: readonly ChangingTenant[]) => {
    const numbered = all.map(({ before, after }, number) => ({
      before: tenantNumbered(before, number),
      after: tenantNumbered(after, number),
    }));
    const { admitted } = decided(numbered.map(({ after }) => after)).admission;
    const keys = new Set(admitted.map(({ key }) => key));
    // A removed route is a removed section, which needs a reload.
    const after = numbered.map((each, number) =>
      keys.has(`tenant-${number}:web`) && !needsReload(each) ? each.after : each.before,
    );
    await change(printed(numbered.map(({ before }) => before)), printed(after));
  };
  const pem = tenantPem(join(dir, 'before'));
  const attack = attackTogether(changingTenants(pem, tenantPem(join(dir, 'after'))), {
    prepare: (tenant) => tenant,
    judge,
    // With more tenants, more map lines would change than are sent at runtime.
    atOnce: 16,
  });
  const all = owned.move();
  return { attack, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function mustFollow(
  tell: (command: string) => Promise<string | undefined>,
  { changes }: Pick<NonNullable<ReturnType<typeof decodeChangeRequest>>, 'changes'>,
  after: Printed,
): Promise<void> {
  const content = (name: string) =>
    othersOf(after)
      .find((file) => file.name === name)
      ?.content.toString();
  const ask = (_: unknown, command: string): Promise<string | undefined> => {
    assert.match(command, ONE_COMMAND);
    return tell(command);
  };
  const runtime = createRuntime({
    ask,
    askEach: async (running, commands) => {
      const replies: string[] = [];
      for (const command of commands) replies.push((await ask(running, command)) ?? '');
      return replies;
    },
    readSetFile: async (name) => content(name),
    stepMs: 1,
  });
  const running = { generation: 1, master: { pid: 1, startTicks: 1 } };
  const outcome = await runtime.change(running, { changes });
  assert.equal(outcome.kind, 'changed', JSON.stringify(outcome));
  const wanted = describeConfiguration(after.text);
  assert.ok(wanted !== undefined);
  assert.deepEqual(await runtime.drift(running, wanted), []);
  assert.deepEqual(await differingFiles(tell, othersOf(after)), []);
}

/** A single command without a terminator, and a payload without empty lines. */
const ONE_COMMAND = /^[^;\n]*(?: <<\n(?:[^\n]+\n)+)?$/;

export const routerRuntime: Target = {
  name: 'router-runtime',
  claim:
    'a runtime update of any hosts, paths, certificates and endpoints leaves HAProxy with what the files say',
  open,
};
