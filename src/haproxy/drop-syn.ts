import { holdersOf, listeningPorts } from '../engine/system/network/listening-ports.ts';
import { forgetTable } from '../engine/system/nft/forget-table.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import { findRunning } from './find-running.ts';
import type { ProxyDriver } from './program.ts';

interface Options {
  readonly statsSocket: string;
  readonly instance: string | undefined;
  readonly startTimeoutMs: number;
  readonly onFailure: (message: string) => void;
}

interface SynDrop {
  /** The same driver, except that new connections are dropped while a serving generation is replaced. */
  readonly program: ProxyDriver;
  /** Accepts new connections again, and removes leftovers. Never rejects. */
  readonly allow: () => Promise<void>;
}

/** An instance's name is appended after a hyphen. */
export const DROP_SYN_TABLE = 'inet hawser_drop_syn';

const NFT_TIMEOUT_MS = 2_000;
/** Time for the old generation to close its listeners after the signal. */
const CLOSING_MS = 500;
/** How much longer than a start the drop lasts in the kernel. */
const SPARE_MS = 2_000;

/**
 * For an HAProxy that does not hand over its listeners. From before a new generation starts until the old one has closed its listeners, new
 * connections to HAProxy's ports are dropped, and clients resend their SYN after a second. Otherwise connections that the old generation has not
 * accepted yet would be reset. The kernel limits the time of the drop, so it ends even if this process is killed. If nft cannot be used, the
 * replacement goes on without the drop (docs/internals/decisions/0076).
 */
export function dropSyns(program: ProxyDriver, options: Options): SynDrop {
  const table = `${DROP_SYN_TABLE}${options.instance === undefined ? '' : `-${options.instance}`}`;
  let allowing: NodeJS.Timeout | undefined;
  const nft = async (ruleset: string): Promise<void> => {
    const { exitCode, stderr } = await runLeanCommand(['nft', '-f', '-'], {
      timeoutMs: NFT_TIMEOUT_MS,
      input: ruleset,
    });
    if (exitCode !== 0) options.onFailure(stderr.trim() || 'nft did not finish in time');
  };
  const use = async (ruleset: string): Promise<void> => {
    clearTimeout(allowing);
    await nft(ruleset).catch((error: unknown) => options.onFailure(String(error)));
  };
  const allow = (): Promise<void> => use(forgetTable(table));
  const allowSoon = (): void => {
    clearTimeout(allowing);
    allowing = setTimeout(() => void allow(), CLOSING_MS).unref();
  };
  return {
    allow,
    program: {
      ...program,
      saveState: async () => {
        // A refused file replaces nothing, and must not delay new connections by a second.
        if ((await program.check('live')).kind === 'invalid') return;
        const ports = portsOf(options.statsSocket);
        if (ports.length > 0) await use(dropRuleset(table, ports, options.startTimeoutMs + SPARE_MS));
        await program.saveState();
        // Nothing starts if the worker that was to be replaced answers again.
        allowSoon();
      },
      start: (request) => {
        const outcome = program.start(request);
        if (outcome.kind === 'started') clearTimeout(allowing);
        return outcome;
      },
      prove: async (running, signal) => {
        const workers = await program.prove(running, signal);
        allowSoon();
        return workers;
      },
    },
  };
}

/** Replaces the table in one transaction. The kernel removes each port from the set after its timeout. */
export function dropRuleset(table: string, ports: readonly number[], timeoutMs: number): string {
  const elements = ports.map((port) => `${port} timeout ${timeoutMs}ms`).join(', ');
  return `${forgetTable(table)}table ${table} {
  set ports {
    type inet_service
    flags timeout
    elements = { ${elements} }
  }
  chain input {
    type filter hook input priority -10; policy accept;
    tcp dport @ports tcp flags & (fin | syn | rst | ack) == syn counter drop
  }
}
`;
}

/** The TCP ports on which the serving generation listens, according to its sockets, not to its configuration. */
function portsOf(statsSocket: string): readonly number[] {
  const pids = findRunning(statsSocket)
    .filter(({ listens }) => listens)
    .flatMap(({ master, workers }) => [master, ...workers].map(({ pid }) => pid));
  const listening = listeningPorts();
  const holders = holdersOf(new Set(listening.map(({ inode }) => inode)));
  const own = new Set(pids.flatMap((pid) => [...(holders.get(pid) ?? [])]));
  return [...new Set(listening.filter(({ inode }) => own.has(inode)).map(({ port }) => port))].sort(
    (a, b) => a - b,
  );
}
