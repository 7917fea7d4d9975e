import type { Running } from '../../../../src/haproxy/runtime/line.ts';

interface ModelServer {
  address: string;
  port: string;
  weight: number;
  admin: number;
  readonly isStatic: boolean;
}

/** A short model of HAProxy 2.6 and 3.0 for the commands that hawser sends. Refusals have HAProxy's exact text. */
export interface HaproxyModel {
  readonly servers: Map<string, ModelServer>;
  readonly ask: (running: Running, command: string) => Promise<string>;
  readonly askEach: (running: Running, commands: readonly string[]) => Promise<readonly string[]>;
  readonly commands: string[];
}

/** Each command gets its own answer. */
export function askingEach(ask: HaproxyModel['ask']): HaproxyModel['askEach'] {
  return (running, commands) => Promise.all(commands.map((command) => ask(running, command)));
}

export function createHaproxyModel(text: string): HaproxyModel {
  const servers = new Map<string, ModelServer>();
  let section = '';
  for (const line of text.split('\n')) {
    const [word, name = '', endpoint = '', ...options] = line.trim().split(' ');
    if (word === 'backend') section = name;
    if (word === 'server') add(`${section}/${name}`, endpoint, options, true);
  }
  function add(server: string, endpoint: string, options: readonly string[], isStatic: boolean): void {
    const [, address = '', port = ''] = /^\[?([\d.a-f:]+?)\]?:(\d+)$/.exec(endpoint) ?? [];
    const after = (word: string): string | undefined => options[options.indexOf(word) + 1 || options.length];
    const admin = options.includes('disabled') ? 5 : isStatic ? 0 : 1;
    servers.set(server, {
      address,
      port,
      admin,
      isStatic,
      weight: Number(after('weight') ?? 1),
    });
  }
  const answer = (command: string): string => {
    const [verb, what, server = '', ...rest] = command.split(' ');
    const found = servers.get(what === 'sessions' ? (rest[0] ?? '') : server);
    if (verb === 'show') return state(rest[0]);
    if (verb === 'add') {
      if (found !== undefined) return 'Already exists a server with the same name in backend.';
      add(server, rest[0] ?? '', rest.slice(1), false);
      return 'New server registered.';
    }
    if (found === undefined) return 'No such server.';
    if (verb === 'shutdown' || verb === 'enable') return '';
    if (verb === 'del') {
      if ((found.admin & 1) === 0) return 'Only servers in maintenance mode can be deleted.';
      servers.delete(server);
      return 'Server deleted.';
    }
    const [key, value = '', , port = ''] = rest;
    if (key === 'weight') found.weight = Number(value);
    if (key === 'state') found.admin = { ready: 0, maint: 1, drain: 8 }[value] ?? 0;
    if (key !== 'addr') return '';
    Object.assign(found, { address: value, port });
    return `IP changed from 'x' to '${value}' by 'stats socket command'`;
  };
  const rows = (backend: string | undefined) =>
    [...servers].filter(
      ([name]) => backend === undefined || backend === '-1' || name.startsWith(`${backend}/`),
    );
  const state = (backend: string | undefined): string =>
    `1\n# be_id be_name srv_id srv_name\n${rows(backend)
      .map(([name, { address, port, weight, admin }], id) => {
        const [be, srv] = name.split('/');
        return `1 ${be} ${id} ${srv} ${address} 2 ${admin} ${weight} 1 0 0 0 0 0 0 0 0 - ${port} - 0 0 - - 0`;
      })
      .join('\n')}\n`;
  const commands: string[] = [];
  const ask: HaproxyModel['ask'] = async (_, command) => {
    if (!command.startsWith('show')) commands.push(command);
    return `${answer(command)}\n`;
  };
  return { servers, commands, ask, askEach: askingEach(ask) };
}
