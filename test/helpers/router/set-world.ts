import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createDeployer } from '../../../src/engine/config/deployer.ts';
import { nameInSet } from '../../../src/engine/config/layout.ts';
import type { ApplyOutcome } from '../../../src/engine/config/outcome.ts';
import { connectProxy } from '../../../src/engine/config/proxy.ts';
import { othersOf, type Rendered } from '../../../src/engine/config/set.ts';
import { createStore } from '../../../src/engine/config/store.ts';
import { linesIn } from '../../../src/haproxy/runtime/plan-files.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { compareSets } from '../../../src/router/serve/set-difference.ts';
import { createSupervisedHost, type SupervisedHost } from '../supervisor-host.ts';
import type { SupervisorProcess } from '../supervisor-process.ts';
import { waitFor } from '../wait-for.ts';
import { renderRouter } from './render-router.ts';
import { routeBackend } from './route-sets.ts';
import { routerSettings, routerTemplate } from './router-settings.ts';

/** An edge route; its backend does not depend on its host or certificate. */
export interface Wish {
  readonly name: string;
  readonly host: string;
  readonly pem?: string;
  readonly servers?: readonly number[];
  /** Its servers are checked, unless there is only one. */
  readonly isChecked?: true;
}

export interface SetWorld {
  readonly host: SupervisedHost;
  /** What the router does when it wants these routes: write the files, and have the supervisor change what runs. */
  readonly want: (...wishes: readonly Wish[]) => Promise<ApplyOutcome>;
  /** The same, until HAProxy serves it. */
  readonly begin: (...wishes: readonly Wish[]) => Promise<void>;
  /** What HAProxy has in memory, and what an HAProxy that reads the files of these routes has. */
  readonly runs: () => Promise<Memory>;
  readonly shouldRun: (...wishes: readonly Wish[]) => Memory;
  readonly tell: (command: string) => Promise<string>;
  readonly supervisor: SupervisorProcess;
  /** A client connection with this SNI. */
  readonly open: (servername: string) => Promise<TLSSocket>;
}

export interface Memory {
  readonly maps: Readonly<Record<string, readonly string[]>>;
  readonly list: readonly string[];
  readonly fingerprints: Readonly<Record<string, string>>;
  readonly servers: readonly string[];
}

const LIST = 'cert_config.map';
const sortedLines = (text: string): readonly string[] => text.split('\n').filter(Boolean).toSorted();
/** For the fingerprints of HAProxy and of Node, which puts colons between the bytes. */
const plainPrint = (print: string): string => print.replaceAll(':', '').trim();

export const certificate = (name: string): string => selfSigned(name, new Date());

export async function openSetWorld(
  flags?: readonly string[],
  fallback = certificate('default'),
  env: Readonly<Record<string, string>> = {},
): Promise<SetWorld> {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  const { config, socket, statsSocket } = host.paths;
  const settings = routerSettings({
    ROUTER_THREADS: '1',
    ROUTER_MAX_CONNECTIONS: '200',
    HAWSER_STATS_SOCKET: statsSocket,
    ...env,
  });
  const render = (wishes: readonly Wish[]): Rendered => {
    const outcome = renderRouter(routerTemplate, settings, { backends: wishes.map(backendOf) }, fallback);
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    return outcome.rendered;
  };
  // The supervisor checks before each reload.
  const check = async () => ({ kind: 'valid' }) as const;
  let outcome: ApplyOutcome | undefined;
  const deployer = createDeployer<undefined>({
    configPath: config,
    check,
    store: createStore({ configPath: config }),
    // The same timeout as in the router.
    proxy: connectProxy({ socketPath: socket, reloadTimeoutMs: 90_000 }),
    policy: { check: 'when-idle', reloadEveryMs: 0, compare: compareSets(settings) },
    observe: (report) => {
      if (report.isCheck !== true) outcome = report.outcome;
    },
  });
  const supervisor = host.supervise(flags);
  const { signal } = new AbortController();
  const tell = async (command: string): Promise<string> =>
    (await askRuntimeApi(statsSocket, command, 5_000)) ?? '';
  const want: SetWorld['want'] = async (...wishes) => {
    await deployer.deploy(render(wishes), undefined, signal);
    await deployer.ended();
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  };
  return {
    host,
    want,
    tell,
    supervisor,
    begin: async (...wishes) => {
      await waitFor('the first set', async () => (await want(...wishes)).kind === 'unchanged');
    },
    runs: () => memoryOf(tell),
    shouldRun: (...wishes) => memoryFor(render(wishes), wishes),
    open: (servername) => openTls(join(dirname(statsSocket), 'router-sni.sock'), servername),
  };
}

function backendOf({ name, host, pem, servers = [1], isChecked }: Wish) {
  return routeBackend({
    key: `shop:${name}`,
    kind: 'edge',
    insecure: 'Allow',
    host,
    cookie: { name: 'pod', secure: false },
    ...(pem !== undefined && { certificate: { pem, http2: true } }),
    servers: servers.map((number) => ({
      name: `pod-${number}`,
      address: `127.0.1.${number}`,
      port: 8080,
      weight: number,
      h2c: false,
      ...(isChecked && { checkIntervalMs: 200 }),
      ...(isChecked && servers.length === 1 && ({ isAlone: true } as const)),
    })),
  });
}

/** Its maps by name. Undefined while two generations overlap: either may answer, and each has its own names. */
async function mapsOf(tell: SetWorld['tell']): Promise<Memory['maps'] | undefined> {
  const names = [...(await tell('show map')).matchAll(/^\d+ \((\S+)\) /gm)].map(([, name = '']) => name);
  const replies = await Promise.all(names.map((name) => tell(`show map ${name}`)));
  if (replies.some((reply) => reply.startsWith('Unknown map identifier'))) return undefined;
  const lines = replies.map((reply) => sortedLines(reply.replaceAll(/^\S+ /gm, '')));
  return Object.fromEntries(names.map((name, index) => [nameInSet(name), lines[index] ?? []]));
}

async function memoryOf(tell: SetWorld['tell']): Promise<Memory> {
  const maps = await waitFor('one generation to answer', () => mapsOf(tell));
  const paths = (await tell('show ssl cert')).split('\n').filter((line) => line.startsWith('/'));
  const prints = await Promise.all(
    paths.map(async (path) => {
      const said = await tell(`show ssl cert ${path}`);
      return [relative(path), plainPrint(/^SHA1 FingerPrint: (.*)$/m.exec(said)?.[1] ?? said)] as const;
    }),
  );
  const nameOf = async (file: string): Promise<string> =>
    (await tell('show ssl crt-list')).split('\n').find((line) => nameInSet(line) === file) ?? file;
  const list = (await tell(`show ssl crt-list ${await nameOf(LIST)}`)).replaceAll('\0', '').split('\n');
  const rows = (await tell('show servers state')).split('\n').filter((row) => / be_edge_http:/.test(row));
  const servers = rows.map((row) => row.split(' ')).filter((row) => (Number(row[6]) & 0x09) === 0);
  return {
    maps,
    list: list
      .filter((line) => line.startsWith('/'))
      .map(relative)
      .toSorted(),
    fingerprints: Object.fromEntries(prints.toSorted()),
    servers: servers.map((row) => `${row[1]} ${row[3]} ${row[4]}:${row[18]} ${row[7]}`).toSorted(),
  };
}

/** File names as the router has them; HAProxy shows a certificate with its line. */
const relative = (line: string): string => line.replace(/^\S+/, nameInSet);

function memoryFor(rendered: Rendered, wishes: readonly Wish[]): Memory {
  const files = othersOf(rendered);
  const contentOf = (name: string): string =>
    files.find((file) => file.name === name)?.content.toString() ?? '';
  const named = [...rendered.text.matchAll(/\((maps\/[^)]+)\)/g)].map(([, name = '']) => name);
  const listed = [...linesIn(contentOf(LIST)).keys(), 'certs/_default.pem'].toSorted();
  const servers = wishes.flatMap(({ name, servers: numbers = [1] }) =>
    numbers.map((number) => `be_edge_http:shop:${name} pod-${number} 127.0.1.${number}:8080 ${number}`),
  );
  return {
    maps: Object.fromEntries(named.map((name) => [name, sortedLines(contentOf(name))])),
    list: sortedLines(contentOf(LIST)),
    fingerprints: Object.fromEntries(
      listed.map((name) => [name, plainPrint(new X509Certificate(contentOf(name)).fingerprint)]),
    ),
    servers: servers.toSorted(),
  };
}

async function openTls(path: string, servername: string): Promise<TLSSocket> {
  const plain = connect(path);
  plain.write('PROXY UNKNOWN\r\n');
  const socket = connectTls({ socket: plain, servername, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  return await new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket)).once('error', reject);
  });
}
