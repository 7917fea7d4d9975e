import { hostPort } from '../../engine/system/network/address-text.ts';
import type { RunningServer, RunningServers } from '../text/servers-state.ts';
import type { DesiredServer, ServerChange } from './change.ts';
import { backendOf } from './describe-configuration.ts';
import type { Command } from './line.ts';

export interface Steps {
  /** Sent before the commands of all changes. */
  readonly creations: readonly Command[];
  readonly commands: readonly Command[];
}

const SILENT = /^$/;
const MOVED = /^(?:IP changed from|port changed from|no need to change the addr|nothing changed)/;

/**
 * The commands that turn the running servers into the desired ones; empty if they match already. `leftOver` are the servers that were removed but
 * could not be deleted yet. Source: HAProxy's management guide, "add server", "set server".
 */
export function stepsFor(
  change: ServerChange,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): Steps {
  const { server, wanted } = change;
  const current = running.get(server);
  if (wanted === null) return current === undefined || leftOver.has(server) ? nothing : removal(server);
  if (current === undefined || leftOver.has(server)) return addition(server, wanted);
  return alteration(change, wanted, current);
}

export function deletion(server: string): Command {
  return { text: `del server ${server}`, done: /^Server deleted\.$/ };
}

const nothing: Steps = { creations: [], commands: [] };

/**
 * Requests in progress may finish: the server's sessions are shut down a moment later, or much later, see `ending`. A draining server would still get
 * clients with its cookie until then. A server in maintenance gets none, and keeps its connections.
 */
function removal(server: string): Steps {
  return { ...nothing, commands: [setState(server, 'maint')] };
}

/** Ends the remaining sessions of a removed server. */
export function ending(server: string): readonly Command[] {
  return [setState(server, 'maint'), shutDown(server)];
}

function addition(server: string, wanted: DesiredServer): Steps {
  const { options, weight, healthChecks } = wanted;
  const add = (own: string): Command => {
    const words = [server, endpointOf(wanted), own, `weight ${weight}`];
    const text = `add server ${words.filter((word) => word !== '').join(' ')}`;
    return { text, done: /^New server registered\.$/ };
  };
  const added = { ...add(options), ...withDynamicCookie(wanted, add, server) };
  // A new server gets no traffic and no checks until it is enabled.
  const health = /(?:^| )check(?: |$)/.test(options) && healthChecks !== 'paused' ? [checksOn(server)] : [];
  return { creations: [added], commands: [...health, setState(server, 'ready')] };
}

/** HAProxy before 3.0 accepts no cookie for an added server. A dynamic cookie is computed when the key is set. */
function withDynamicCookie(
  { options, cookieKey }: DesiredServer,
  add: (options: string) => Command,
  server: string,
): Pick<Command, 'instead'> {
  if (cookieKey === undefined) return {};
  const setKey = { text: `set dynamic-cookie-key backend ${backendOf(server)} ${cookieKey}`, done: SILENT };
  const commands = [add(options.replace(/(?:^| )cookie \S+/, '').trim()), setKey];
  return { instead: { answer: /^'cookie' option is not accepted for dynamic server/, commands } };
}

function alteration({ server, mayFinish }: ServerChange, wanted: DesiredServer, found: RunningServer): Steps {
  const hasMoved = found.endpoint !== endpointOf(wanted);
  const commands: Command[] = [];
  if (hasMoved) commands.push(move(server, wanted));
  if (hasMoved && mayFinish === undefined) commands.push(shutDown(server));
  if (found.weight !== wanted.weight)
    commands.push({ text: `set server ${server} weight ${wanted.weight}`, done: SILENT });
  commands.push(...checksAs(wanted, found, server));
  if (found.isOut) commands.push(setState(server, 'ready'));
  return { creations: [], commands };
}

/** A server whose checks are disabled while it is down must not stay down. A check in progress may still report it down a moment later. */
function checksAs({ healthChecks }: DesiredServer, found: RunningServer, server: string): readonly Command[] {
  if (healthChecks !== 'paused') return found.checks === 'paused' ? [checksOn(server)] : [];
  const off = found.checks === 'on' ? [{ text: `disable health ${server}`, done: SILENT }] : [];
  const isLost = found.isDown && !found.isOut;
  return isLost ? [...off, { text: `set server ${server} health up`, done: SILENT }] : off;
}

function checksOn(server: string): Command {
  return { text: `enable health ${server}`, done: SILENT };
}

function setState(server: string, state: 'ready' | 'maint'): Command {
  return { text: `set server ${server} state ${state}`, done: SILENT };
}

function shutDown(server: string): Command {
  return { text: `shutdown sessions server ${server}`, done: SILENT };
}

interface Place {
  readonly address: string;
  readonly port: number;
}

function move(server: string, { address, port }: Place): Command {
  return { text: `set server ${server} addr ${address} port ${port}`, done: MOVED };
}

function endpointOf({ address: host, port }: Place): string {
  return hostPort({ host, port });
}
