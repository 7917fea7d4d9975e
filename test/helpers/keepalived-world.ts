import type { ProcessId } from '../../src/engine/system/process/processes.ts';
import { advance, nextDeadline } from '../../src/keepalived/supervise/advance.ts';
import {
  type Action,
  type Event,
  initialState,
  type VrrpRequest,
  type VrrpSupervisorState,
} from '../../src/keepalived/supervise/state.ts';
import type { AcceptedConfiguration } from '../../src/keepalived/vrrp-program.ts';

export const configurationOf = (number: number): AcceptedConfiguration => ({
  number,
  sha256: `sha-${number}`,
  instances: [
    {
      name: 'API',
      virtualRouterId: 77,
      peers: [],
      vips: [{ address: '10.0.0.5', prefixLength: 32, interface: 'eth0' }],
      masterDownMs: 600,
    },
  ],
  trackFiles: [],
  notifyFifo: '/run/notify.fifo',
});

export type Move =
  | { readonly kind: 'request'; readonly what: VrrpRequest }
  | { readonly kind: 'finish'; readonly which: number; readonly well: boolean }
  | { readonly kind: 'die' | 'tell' | 'tick' | 'stop' }
  /** Many checks of its processes in a row, which show life or none. */
  | { readonly kind: 'look'; readonly lives: boolean }
  | { readonly kind: 'wait'; readonly ms: number };

/** A supervisor's decisions in a scripted world: each started action stays open until a move finishes it. */
export interface World {
  state: VrrpSupervisorState;
  now: number;
  readonly actions: Action[];
  readonly answered: Map<number, number>;
  readonly requests: number[];
  /** Violations of the rules. */
  readonly violations: string[];
  readonly send: (event: Event) => readonly Action[];
  readonly play: (move: Move) => void;
  /** Finishes everything successfully, over and over, until nothing is in progress. */
  readonly settle: () => void;
  readonly finishes: () => number;
  readonly runs: () => boolean;
}

type Open = Extract<Action, { kind: 'check' | 'reap' | 'sweep' | 'reload' | 'ask' }>;

export function createWorld(first: Partial<VrrpSupervisorState> = {}): World {
  const open: Open[] = [];
  let running: ProcessId | undefined;
  let leaving = false;
  let clean = false;
  let pids = 0;
  let accepted = 0;
  let switches = 0;

  const world: World = {
    state: { ...initialState(undefined), ...first },
    now: 1_000_000,
    actions: [],
    answered: new Map(),
    requests: [],
    violations: [],
    finishes: () => world.actions.filter(({ kind }) => kind === 'finish').length,
    runs: () => running !== undefined,
    send: (event) => {
      const { state, actions } = advance(world.state, event, world.now);
      world.state = state;
      world.actions.push(...actions);
      for (const action of actions) take(action);
      return actions.filter(({ kind }) => kind !== 'log');
    },
    play: (move) => play(move),
    settle: () => {
      for (let round = 0; round < 200; round += 1) {
        if (leaving) die('exit code 0');
        else if (open.length > 0) finish(0, true);
        else if (world.state.daemon.kind === 'starting') tell();
        else if (!tick()) return;
      }
      world.violations.push('it never comes to rest');
    },
  };

  const take = (action: Action): void => {
    switch (action.kind) {
      case 'check':
      case 'reap':
      case 'sweep':
      case 'reload':
      case 'ask':
        open.push(action);
        return;
      case 'start':
        if (running !== undefined) world.violations.push('started while a keepalived runs');
        if (!clean) world.violations.push('started before the VIPs were removed');
        pids += 1;
        running = { pid: pids, startTicks: 1 };
        clean = false;
        world.send({ kind: 'started', id: running });
        return;
      case 'terminate':
      case 'kill':
        if (running?.pid !== action.id.pid) return;
        leaving = true;
        if (action.kind === 'kill') world.send({ kind: 'killed', id: action.id });
        return;
      case 'answer':
        for (const request of action.requests)
          world.answered.set(request, (world.answered.get(request) ?? 0) + 1);
        return;
      case 'finish':
        if (running !== undefined) world.violations.push('finished while keepalived runs');
        if (!clean) world.violations.push('finished before the VIPs were removed');
        return;
      case 'keep-last-good':
      case 'wake':
      case 'log':
        return;
    }
  };
  const die = (how: string): void => {
    const id = running;
    if (id === undefined) return;
    running = undefined;
    leaving = false;
    world.send({ kind: 'exited', id, how });
  };
  const tell = (): void => {
    if (running === undefined) return;
    world.send({ kind: 'notified', instance: 'API', state: 'MASTER', priority: 220, trackValue: undefined });
  };
  const tick = (): boolean => {
    const deadline = nextDeadline(world.state);
    if (deadline === undefined) return false;
    world.now = Math.max(world.now, deadline);
    world.send({ kind: 'tick' });
    return true;
  };
  const finish = (which: number, well: boolean): void => {
    const [action] = open.length === 0 ? [] : open.splice(which % open.length, 1);
    if (action !== undefined) world.send(outcomeOf(action, well));
  };
  const outcomeOf = (action: Open, well: boolean): Event => {
    switch (action.kind) {
      case 'check':
        if (!well)
          return {
            kind: 'refused',
            check: action.check,
            failure: { stage: 'check', message: 'no', detail: 'line 3' },
          };
        accepted += 1;
        return { kind: 'accepted', check: action.check, configuration: configurationOf(accepted) };
      case 'reap':
        return { kind: 'reaped' };
      case 'sweep':
        clean = well && running === undefined;
        // An address that cannot be removed is given up only at the end.
        if (!well && world.state.phase !== 'running') clean = true;
        return { kind: 'swept', removed: [], trouble: well ? undefined : 'it stays' };
      case 'reload':
      case 'ask': {
        const { id, configuration } = action;
        if (!well) return { kind: 'not-confirmed', id };
        const report = [{ name: 'API', state: 'MASTER' as const, priority: 220 }];
        return { kind: 'reported', askedAt: world.now, id, number: configuration.number, report };
      }
    }
  };
  const look = (lives: boolean): void => {
    for (let times = 0; times < 20; times += 1) {
      const { daemon } = world.state;
      switches += lives ? 1 : 0;
      if (daemon.kind !== 'up' || leaving) return;
      world.now += 200;
      world.send({ kind: 'polled', id: daemon.id, vitals: { switches, starved: false, stopped: false } });
    }
  };
  const play = (move: Move): void => {
    switch (move.kind) {
      case 'look':
        look(move.lives);
        return;
      case 'request': {
        const request = world.requests.length + 1;
        world.requests.push(request);
        world.send({ kind: 'requested', what: move.what, request });
        return;
      }
      case 'finish':
        finish(move.which, move.well);
        return;
      case 'die':
        die(leaving ? 'exit code 0' : 'signal SIGKILL');
        return;
      case 'tell':
        tell();
        return;
      case 'tick':
        tick();
        return;
      case 'wait':
        world.now += move.ms;
        world.send({ kind: 'tick' });
        return;
      case 'stop':
        world.send({ kind: 'stop' });
        return;
    }
  };
  return world;
}

/** A world in which keepalived runs and holds the VIP. */
export function running(): World {
  const world = createWorld();
  world.send({ kind: 'booted', hasConfiguration: true, adopted: undefined });
  world.settle();
  world.actions.length = 0;
  return world;
}

export const kindsOf = (actions: readonly Action[]): readonly string[] => actions.map(({ kind }) => kind);

/** The logged events. */
export const eventsOf = (actions: readonly Action[]): readonly string[] =>
  actions.flatMap((action) => (action.kind === 'log' ? action.event : []));
