import { hostPort } from '../../engine/system/network/address-text.ts';

/** A server as HAProxy has it at this moment. */
export interface RunningServer {
  /** `10.0.0.1:6443`, `[fd00::1]:6443`. */
  readonly endpoint: string;
  readonly weight: number;
  /** Told to take nothing, or nothing new, by a command or by the file. */
  readonly isOut: boolean;
  /** For a server without checks, its state alone decides whether it gets clients. */
  readonly checks: 'on' | 'off' | 'none';
  readonly isDown: boolean;
  /** Since it was taken out of use, put back, went down or came up. */
  readonly forMs: number;
}

export type RunningServers = ReadonlyMap<string, RunningServer>;

/** Of the administrative state: forced into maintenance, or told to drain. */
export const OUT_OF_USE = 0x01 | 0x08;

/** The servers by `backend/name`. Undefined if the text is something else. Source: HAProxy's management guide, "show servers state". */
export function parseRunningServers(state: string): RunningServers | undefined {
  return state.startsWith('1\n# be_id be_name ') ? serversIn(state) : undefined;
}

/** The servers' addresses, from any number of answers to `show servers state`. */
export function serverPlaces(
  answers: string,
): ReadonlyMap<string, { readonly host: string; readonly port: number }> {
  const rows = answers.split('\n').filter((line) => /^\d+ /.test(line));
  return new Map(
    rows.map((line) => {
      const fields = line.split(' ');
      return [`${fields[1]}/${fields[3]}`, { host: fields[4] ?? '', port: Number(fields[18]) }] as const;
    }),
  );
}

function serversIn(state: string): RunningServers {
  const rows = state.split('\n').filter((line) => /^\d+ /.test(line));
  return new Map(
    rows.map((line) => {
      const fields = line.split(' ');
      const server = `${fields[1]}/${fields[3]}`;
      const [host = '', port, admin] = [fields[4], Number(fields[18]), Number(fields[6])];
      const isOut = (admin & OUT_OF_USE) !== 0;
      const endpoint = hostPort({ host, port });
      const [weight, isDown, forMs] = [Number(fields[7]), fields[5] === '0', 1_000 * Number(fields[9])];
      const checks = checksOf(Number(fields[13]));
      return [server, { endpoint, weight, isOut, isDown, forMs, checks }] as const;
    }),
  );
}

/** Of the state of a server's checks: it has some, and they are made. */
const CONFIGURED = 0x02;
const ENABLED = 0x04;

function checksOf(state: number): RunningServer['checks'] {
  if ((state & CONFIGURED) === 0) return 'none';
  return (state & ENABLED) === 0 ? 'off' : 'on';
}
