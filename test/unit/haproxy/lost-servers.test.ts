import { expect, test } from 'vitest';
import { createLostServers } from '../../../src/haproxy/lost-servers.ts';
import type { Session } from '../../../src/haproxy/parse-replies.ts';
import type { Running } from '../../../src/haproxy/runtime/line.ts';

const running = (generation: number): Running => ({ generation, master: { pid: generation, startTicks: 1 } });
const COUNT = 150;
const names = Array.from({ length: COUNT }, (_, number) => `pod-${number}`);
const session = (name: string, index: number) =>
  `0x${(4096 + index).toString(16)}: proto=tcpv4 src=127.0.0.1:1 fe=f be=web srv=${name} ts=00\n`;
const row = (name: string, index: number, state = 2) =>
  `3 web ${index} ${name} 10.0.0.1 ${state} 0 1 1 1 1 0 0 0 0 0 0 - ${index + 1} - 0 0 - - 0`;

/** The draining generation has a session with each server. The serving one has none of these servers. */
async function askAll({ generation }: Running, [command = '']: readonly string[]): Promise<string> {
  if (command === 'show sess') return names.map(session).join('');
  return generation === 1
    ? `1\n# be_id\n${names.map((name, index) => row(name, index)).join('\n')}\n\n`
    : '1\n# be_id\n\n';
}

test('a dead server is found among any number of live servers that were removed', async () => {
  const ended = new Set<string>();
  const endSome = async (_: Running, choose: (sessions: readonly Session[]) => readonly Session[]) => {
    const chosen = choose(names.map((name) => ({ id: name, server: `web/${name}` })));
    for (const { id } of chosen) ended.add(id);
    return chosen.length;
  };
  const look = createLostServers(askAll, endSome, async ({ port }) =>
    port === COUNT ? 'silent' : 'answers',
  );
  for (let round = 0; round < 6; round += 1) await look(running(2), [running(1)]);
  expect([...ended]).toEqual([`pod-${COUNT - 1}`]);
});

test('a session is judged by the pod that it has, not by the pod that has its server name now', async () => {
  const rows = (...all: readonly string[]) => `1\n# be_id\n${all.join('\n')}\n\n`;
  const states = [
    // The draining generation: "a" moved to another pod, "b" and "c" did not.
    rows(row('a', 1), row('b', 2), row('c', 3)),
    rows(row('a', 9, 0), row('b', 2, 0), row('c', 3)),
  ];
  const sessions = ['a', 'b', 'c'];
  const ask = async ({ generation }: Running, [command = '']: readonly string[]) =>
    command === 'show sess' ? sessions.map(session).join('') : (states[generation - 1] ?? '');
  const ended: string[] = [];
  const endSome = async (_: Running, choose: (sessions: readonly Session[]) => readonly Session[]) => {
    const chosen = choose(sessions.map((name) => ({ id: name, server: `web/${name}` })));
    ended.push(...chosen.map(({ id }) => id));
    return chosen.length;
  };
  let isMachineAlive = true;
  const look = createLostServers(ask, endSome, async () => (isMachineAlive ? 'answers' : 'silent'));
  for (let round = 0; round < 6; round += 1) await look(running(2), [running(1)]);
  expect(new Set(ended)).toEqual(new Set(['b']));
  isMachineAlive = false;
  for (let round = 0; round < 6; round += 1) await look(running(2), [running(1)]);
  expect(new Set(ended)).toEqual(new Set(['a', 'b']));
});
