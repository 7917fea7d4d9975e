import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { setInterval as every } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { type ApiServer, startApiServer } from './api-server.ts';
import { applyState, state } from './cluster-state.ts';
import { startControl } from './control.ts';
import { createObjectStore } from './object-store.ts';

/**
 * The stand-in as a program: prints one line of JSON (`{"port":…,"controlPort":…}`) once it listens, ends on SIGTERM.
 *
 *   node main.ts --port 7001 --host 127.0.0.1 --cert server.crt --key server.key --ca ca.crt
 *        [--state state.json] [--control-port 0] [--plain-http] [--token SECRET] [--bookmark-ms 60000]
 *
 * `--state` names a JSON file `{"objects": [...], "faults": {...}}` that is read again whenever it changes, so that
 * one file feeds several processes; its `revision`, if it has one, is printed (`{"revision":…}`) once it is in force.
 * `--control-port` answers on loopback, see control.ts.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    cert: { type: 'string' },
    key: { type: 'string' },
    ca: { type: 'string' },
    state: { type: 'string' },
    'control-port': { type: 'string' },
    'plain-http': { type: 'boolean', default: false },
    token: { type: 'string' },
    'bookmark-ms': { type: 'string', default: '60000' },
  },
});
const files = z.parse(z.object({ cert: z.string(), key: z.string() }), values);

// Versions follow the clock, so that servers in several processes that learn of the same change roughly agree.
const store = createObjectStore((last) => Math.max(last + 1, Date.now()));
const server = await startApiServer({
  store,
  cert: readFileSync(files.cert, 'utf8'),
  key: readFileSync(files.key, 'utf8'),
  host: values.host,
  port: Number(values.port),
  plainHttp: values['plain-http'],
  bookmarkMs: Number(values['bookmark-ms']),
  ...(values.ca === undefined ? {} : { ca: readFileSync(values.ca, 'utf8') }),
  ...(values.token === undefined ? {} : { authorize: tokenOnly(values.token) }),
});
if (values.state !== undefined) await followStateFile(values.state, server);
const control =
  values['control-port'] === undefined
    ? undefined
    : await startControl({ port: Number(values['control-port']), store, server });
process.stdout.write(`${JSON.stringify({ port: server.port, controlPort: control?.port })}\n`);
// Node writes the cache only on an orderly exit, which a killed stand-in never has.
flushCompileCache();

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));

function tokenOnly(token: string) {
  return (caller: { readonly token: string | undefined }) =>
    caller.token === token ? ('allowed' as const) : ('unauthenticated' as const);
}

/**
 * Compares with the text in force, not with the file as found at the start: a starved process would miss a change
 * written in between, just after it reported that it listens. A slow disk delays only the next reading: clients are
 * answered meanwhile.
 */
async function followStateFile(path: string, target: ApiServer): Promise<void> {
  let inForce = '';
  let signature = '';
  const apply = async (text: string) => {
    if (text === inForce) return;
    const wanted = z.parse(state, JSON.parse(text));
    inForce = text;
    await applyState(wanted, store, target);
    if (wanted.revision !== undefined)
      process.stdout.write(`${JSON.stringify({ revision: wanted.revision })}\n`);
  };
  const readAgain = async () => {
    const { ino, size, mtimeMs } = await stat(path);
    const found = `${ino} ${size} ${mtimeMs}`;
    // The clock of a file system may stand still for some milliseconds.
    if (found === signature && Date.now() - mtimeMs > 1_000) return;
    const text = await readFile(path, 'utf8');
    signature = found;
    await apply(text);
  };
  // Perhaps half-written; it is read again soon.
  const report = (error: unknown) => void process.stderr.write(`Cannot read state "${path}": ${error}\n`);
  const poll = async () => {
    for await (const _ of every(100)) await readAgain().catch(report);
  };
  // Not even the first request may see the state before this one.
  try {
    await apply(readFileSync(path, 'utf8'));
  } catch (error) {
    report(error);
  }
  void poll();
}
