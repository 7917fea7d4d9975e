import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeConfiguration } from '../../../../src/haproxy/runtime/describe-configuration.ts';
import { createRuntime } from '../../../../src/haproxy/runtime/execute.ts';
import type { Running } from '../../../../src/haproxy/runtime/line.ts';
import { differenceOf } from '../../../helpers/plan-of.ts';
import { runs } from '../../../helpers/property-seed.ts';
import { askingEach, createHaproxyModel, type HaproxyModel } from './haproxy-model.ts';

interface ApiServer {
  readonly name: string;
  readonly host: number;
  readonly weight: number;
}

const running: Running = { generation: 1, master: { pid: 1, startTicks: 1 } };

function textOf(servers: readonly ApiServer[]): string {
  return [
    'backend masters',
    ...servers.map(({ name, host, weight }) => `  server ${name} 10.0.0.${host}:6443 weight ${weight} check`),
    '',
  ].join('\n');
}

/** The effect on clients: the addresses of their servers, and the share of each. */
function servesOf({ servers }: HaproxyModel): unknown {
  const clients = [...servers].filter(([, { admin }]) => admin === 0);
  return Object.fromEntries(
    clients.map(([name, { address, port, weight }]) => [name, { endpoint: `${address}:${port}`, weight }]),
  );
}

const lists = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    host: fc.integer({ min: 1, max: 4 }),
    weight: fc.constantFrom(1, 100, 256),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
);

function changesOf(before: readonly ApiServer[], after: readonly ApiServer[]) {
  const found = differenceOf(textOf(before), textOf(after));
  if (found.kind === 'reload') throw new Error(`Cannot change it at run time: ${found.reason}`);
  return found.kind === 'nothing' ? [] : found.changes;
}

function createScene(first: readonly ApiServer[], finishMs = 0) {
  const haproxy = createHaproxyModel(textOf(first));
  const runtime = createRuntime({
    ...haproxy,
    readSetFile: async () => undefined,
    stepMs: 0,
    finishMs,
  });
  return { haproxy, runtime };
}

test('after any number of changes HAProxy serves the same as after a reload', async () => {
  await fc.assert(
    fc.asyncProperty(lists, fc.array(lists, { maxLength: 6 }), async (first, wanted) => {
      const { haproxy, runtime } = createScene(first);
      let before = first;
      for (const after of wanted) {
        expect(await runtime.change(running, { changes: changesOf(before, after) })).toMatchObject({
          kind: 'changed',
        });
        expect(servesOf(haproxy)).toEqual(servesOf(createHaproxyModel(textOf(after))));
        before = after;
      }
    }),
    { numRuns: runs(150) },
  );
});

test('with too many removed servers that still exist, a removal needs a reload and an addition does not', async () => {
  const server = (host: number): ApiServer => ({ name: `s${host}`, host, weight: 1 });
  const [one, two, three] = [server(1), server(2), server(3)];
  const haproxy = createHaproxyModel(textOf([one, two]));
  const limits = { stepMs: 0, finishMs: 60_000, mostLeftOver: 1 };
  const runtime = createRuntime({ ...haproxy, readSetFile: async () => undefined, ...limits });
  const change = async (before: readonly ApiServer[], after: readonly ApiServer[], now = running) =>
    (await runtime.change(now, { changes: changesOf(before, after) })).kind;
  expect(await change([one, two], [one])).toBe('changed');
  expect(await change([one], [one, three])).toBe('changed');
  expect(await change([one, three], [three])).toBe('refused');
  expect(await change([one, three], [three], { ...running, generation: 2 })).toBe('changed');
});

test('a repeated change needs no command', async () => {
  await fc.assert(
    fc.asyncProperty(lists, lists, async (before, after) => {
      const { haproxy, runtime } = createScene(before);
      const changes = changesOf(before, after).filter(
        (change) => change.kind === 'server' && change.wanted !== null,
      );
      await runtime.change(running, { changes });
      const { length } = haproxy.commands;
      expect(await runtime.change(running, { changes })).toEqual({ kind: 'changed', commands: 0 });
      expect(haproxy.commands).toHaveLength(length);
    }),
    { numRuns: runs(100) },
  );
});

test('any manual change is found as drift and repaired', async () => {
  const byHand = fc.constantFrom(
    'set server masters/a state maint',
    'set server masters/a weight 3',
    'set server masters/b addr 10.9.9.9 port 1',
    'add server masters/z 10.9.9.9:1',
    'set server masters/z state ready',
  );
  const list = [
    { name: 'a', host: 1, weight: 256 },
    { name: 'b', host: 2, weight: 256 },
  ];
  const wanted = describeConfiguration(textOf(list));
  if (wanted === undefined) throw new Error('Cannot describe it');
  await fc.assert(
    fc.asyncProperty(fc.array(byHand, { maxLength: 7 }), async (commands) => {
      const { haproxy, runtime } = createScene(list);
      for (const command of commands) await haproxy.ask(running, command);
      await runtime.change(running, { changes: (await runtime.drift(running, wanted)) ?? [] });
      expect(servesOf(haproxy)).toEqual(servesOf(createHaproxyModel(textOf(list))));
      expect(await runtime.drift(running, wanted)).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

test("the reason for a refusal has the command and HAProxy's answer", async () => {
  const after = ['a', 'b'].map((name) => ({ name, host: 1, weight: 1 }));
  const ask: HaproxyModel['ask'] = async (_, command) =>
    command.startsWith('show') ? createHaproxyModel(textOf([])).ask(running, command) : 'No.\n';
  const deaf = createRuntime({
    ask,
    askEach: askingEach(ask),
    readSetFile: async () => undefined,
    stepMs: 0,
  });
  expect(await deaf.change(running, { changes: changesOf([], after.slice(0, 1)) })).toEqual({
    kind: 'refused',
    reason: '"add server masters/a 10.0.0.1:6443 check weight 1" was answered with "No."',
  });
  const gone = createRuntime({
    ask: async () => undefined,
    askEach: async () => [],
    readSetFile: async () => undefined,
    stepMs: 0,
  });
  expect(await gone.change(running, { changes: changesOf([], after) })).toEqual({
    kind: 'refused',
    reason: 'HAProxy does not report the servers of "masters"',
  });
});

test("unsupported commands are found in the build's own help", async () => {
  const help = ['add server', 'set server', 'enable health', 'show stat'].map(
    (command) => `  ${command} X : y`,
  );
  const poor = createRuntime({
    ask: async () => `The following commands are valid:\n${help.join('\n')}\n`,
    askEach: async () => [],
    readSetFile: async () => undefined,
  });
  expect(await poor.missingCommands(running)).toEqual(
    expect.arrayContaining(['del server', 'shutdown sessions server', 'commit ssl cert', 'set map']),
  );
});

test('connections to a moved or removed server may finish if the change allows it', async () => {
  const haproxy = createHaproxyModel(
    'backend web\n  server a 10.0.0.1:80 check\n  server b 10.0.0.2:80 check\n',
  );
  const runtime = createRuntime({
    ...haproxy,
    readSetFile: async () => undefined,
    stepMs: 0,
    finishMs: 60_000,
  });
  const mayFinish = { options: 'check' };
  const place = { port: 80, weight: 1, options: 'check' };
  const tell = async (server: string, address?: string, more: object = { mayFinish }) => {
    const wanted = address === undefined ? null : { address, ...place };
    return await runtime.change(running, { changes: [{ kind: 'server', server, wanted, ...more }] });
  };
  await tell('web/a', '10.0.0.2');
  await tell('web/b');
  expect(await tell('web/b', '10.0.0.3', {})).toEqual({ kind: 'changed', commands: 2 });
  expect(haproxy.commands).toEqual([
    'set server web/a addr 10.0.0.2 port 80',
    'set server web/b state maint',
    'set server web/b addr 10.0.0.3 port 80',
    'set server web/b state ready',
  ]);
  await tell('web/b');
  expect(
    await runtime.drift(running, { sections: new Map(), servers: new Map(), openBackends: new Set() }),
  ).toEqual([]);
  expect(haproxy.commands).toHaveLength(5);
});

/** HAProxy before 3.0 refuses a cookie for an added server. */
const withoutCookies = (ask: ReturnType<typeof createHaproxyModel>['ask']) => {
  const commands: string[] = [];
  const asking: typeof ask = async (of, command) => {
    if (!command.startsWith('show')) commands.push(command);
    if (/^add server .* cookie /.test(command)) return "'cookie' option is not accepted for dynamic server\n";
    return command.startsWith('set dynamic') ? '\n' : await ask(of, command);
  };
  return { commands, asking };
};

const withCookies = (...servers: readonly string[]) =>
  [
    'backend web',
    '  dynamic-cookie-key shop:web',
    ...servers.map((each) => `  server ${each} check`),
    '',
  ].join('\n');

test("a server whose cookie HAProxy refuses gets the backend's before the old server leaves", async () => {
  const texts = [
    withCookies('a 10.0.0.1:80 cookie x'),
    withCookies('b 10.0.0.2:80 cookie y'),
    withCookies('c 10.0.0.3:80 cookie z', 'd 10.0.0.4:80 cookie w'),
  ] as const;
  const haproxy = createHaproxyModel(texts[0]);
  const { commands, asking } = withoutCookies(haproxy.ask);
  const runtime = createRuntime({
    ask: asking,
    askEach: askingEach(asking),
    readSetFile: async () => undefined,
    stepMs: 0,
    finishMs: 60_000,
  });
  const move = async (before: string, after: string) => {
    const found = differenceOf(before, after);
    const changes = found.kind === 'runtime' ? found.changes : [];
    // The old servers may finish their work, as pods may.
    const gentle = changes.map((each) =>
      each.kind === 'server' && each.wanted === null ? { ...each, mayFinish: { options: 'check' } } : each,
    );
    expect(await runtime.change(running, { changes: gentle })).toMatchObject({ kind: 'changed' });
  };
  await move(texts[0], texts[1]);
  await move(texts[1], texts[2]);
  const key = 'set dynamic-cookie-key backend web shop:web';
  const ready = (server: string) => [`enable health web/${server}`, `set server web/${server} state ready`];
  expect(commands).toEqual([
    'add server web/b 10.0.0.2:80 cookie y check weight 1',
    ...['add server web/b 10.0.0.2:80 check weight 1', key, ...ready('b')],
    'set server web/a state maint',
    // By now the accepted form is known, and the key is sent once.
    ...['add server web/c 10.0.0.3:80 check weight 1', 'add server web/d 10.0.0.4:80 check weight 1', key],
    ...[...ready('c'), ...ready('d')],
    'set server web/b state maint',
  ]);
});

test('a server stays in use if HAProxy refuses its replacement', async () => {
  const before = withCookies('a 10.0.0.1:80');
  const after = withCookies('b 10.0.0.2:80');
  const haproxy = createHaproxyModel(before);
  const commands: string[] = [];
  const ask: typeof haproxy.ask = async (of, command) => {
    commands.push(command);
    return command.startsWith('add server') ? 'Out of memory.\n' : await haproxy.ask(of, command);
  };
  const runtime = createRuntime({
    ask,
    askEach: askingEach(ask),
    readSetFile: async () => undefined,
    stepMs: 0,
  });
  const found = differenceOf(before, after);
  const changes = found.kind === 'runtime' ? found.changes : [];
  expect(await runtime.change(running, { changes })).toMatchObject({ kind: 'refused' });
  expect(commands.filter((command) => command.includes('web/a'))).toEqual([]);
});

test("a server that tracks or is tracked keeps an operator's changes on the Runtime API", async () => {
  const text = `backend masters
  server a 10.0.0.1:6443 track checks/a
backend checks
  server a 10.0.0.1:6443 check
`;
  const haproxy = createHaproxyModel(text);
  const runtime = createRuntime({
    ...haproxy,
    readSetFile: async () => undefined,
  });
  await haproxy.ask(running, 'set server masters/a state maint');
  await haproxy.ask(running, 'set server checks/a state maint');
  const wanted = describeConfiguration(text);
  expect(wanted && (await runtime.drift(running, wanted))).toEqual([]);
});

test('a server removed by an earlier supervisor returns before its connections end', async () => {
  const [a, b] = [
    { name: 'a', host: 1, weight: 1 },
    { name: 'b', host: 2, weight: 1 },
  ] as const;
  const { haproxy, runtime } = createScene([a, b], 3_600_000);
  await haproxy.ask(running, 'set server masters/b state maint');
  const wanted = describeConfiguration(textOf([a]));
  expect(wanted && (await runtime.drift(running, wanted))).toEqual([]);
  expect(await runtime.change(running, { changes: changesOf([a], [a, b]) })).toMatchObject({
    kind: 'changed',
  });
  expect(servesOf(haproxy)).toHaveProperty('masters/b.endpoint', '10.0.0.2:6443');
});

test('the servers of many backends are read on one connection and changed on another', async () => {
  const backend = (name: string, host: number): string =>
    `backend ${name}\n  server a 10.0.0.${host}:80 check\n  server b 10.0.1.${host}:80 check\n`;
  const names = ['one', 'two', 'three'];
  const textAt = (host: number): string => names.map((name) => backend(name, host)).join('');
  const haproxy = createHaproxyModel(textAt(1));
  const asked: string[] = [];
  const batches: (readonly string[])[] = [];
  const runtime = createRuntime({
    ask: async (of, command) => {
      asked.push(command);
      return await haproxy.ask(of, command);
    },
    askEach: async (of, commands) => {
      batches.push(commands);
      return await haproxy.askEach(of, commands);
    },
    readSetFile: async () => undefined,
  });
  const found = differenceOf(textAt(1), textAt(2));
  const changes = found.kind === 'runtime' ? found.changes : [];
  expect(await runtime.change(running, { changes })).toEqual({ kind: 'changed', commands: 12 });
  expect(servesOf(haproxy)).toEqual(servesOf(createHaproxyModel(textAt(2))));
  expect([asked, batches.map(({ length }) => length)]).toEqual([[], [3, 12]]);
});
