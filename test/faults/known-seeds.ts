import type { FaultName } from './generate/catalogue.ts';
import type { Episode, PlannedFault, Role } from './generate/schedule.ts';

/** An episode that found a bug in the product, as it was planned then. */
export interface KnownSeed {
  readonly seed: number;
  readonly episode: number;
  readonly only?: FaultName;
  /** What went wrong, in a few words. */
  readonly found: string;
  /** The original plan was lost with the catalogue it was made from. This one reproduces the bug. */
  readonly isRebuilt?: true;
  /** The episode, preceded by those it depends on. */
  readonly episodes: readonly Episode[];
}

type Fault = Omit<PlannedFault, 'id'>;

function planned(name: FaultName, variant: string, role: Role, startMs: number, endMs = startMs): Fault {
  return { name, variant, role, startMs, endMs };
}

function recorded(number: number, ...faults: readonly Fault[]): Episode {
  return { number, faults: faults.map((fault, index) => ({ id: `${number}.${index + 1}`, ...fault })) };
}

/**
 * Sorted by seed. Plans are written out, because every change to the catalogue changes the plan of every seed, and these must not
 * change.
 */
export const knownSeeds: readonly KnownSeed[] = [
  {
    seed: 12,
    episode: 12,
    isRebuilt: true,
    found: 'a node that was listed again was a second holder',
    episodes: [recorded(12, planned('remove-member', 'node', 'holder', 0, 3_000))],
  },
  {
    seed: 12,
    episode: 14,
    isRebuilt: true,
    found: 'a supervisor whose notify FIFO was deleted did not hear the next keepalived',
    episodes: [
      recorded(
        14,
        planned('damage-output', 'delete run/notify.fifo', 'backup-1', 0),
        planned('kill', 'keepalived', 'backup-1', 2_000),
      ),
    ],
  },
  {
    seed: 13,
    episode: 3,
    isRebuilt: true,
    found: 'a node that was listed again was a second holder',
    episodes: [recorded(3, planned('remove-member', 'node', 'backup-1', 0, 3_000))],
  },
  {
    seed: 23,
    episode: 7,
    only: 'remove-member',
    found: 'an advert from before the holder forgot the node let it participate',
    episodes: [recorded(7, planned('remove-member', 'node', 'holder', 0, 2_149))],
  },
  {
    seed: 23,
    episode: 11,
    only: 'remove-member',
    found: 'an advert from before the holder forgot the node let it participate',
    episodes: [recorded(11, planned('remove-member', 'node', 'backup-2', 0, 2_843))],
  },
  {
    seed: 103,
    episode: 6,
    found: 'a deleted vrrp-state.json stayed away until the next transition',
    episodes: [
      recorded(
        6,
        planned('api-lie-everywhere', 'old', 'holder', 0, 6_795),
        planned('damage-output', 'delete run/vrrp-state.json', 'backup-2', 2_241),
        planned('stop', 'haproxy-supervisor', 'holder', 2_635, 8_097),
      ),
    ],
  },
  {
    seed: 105,
    episode: 23,
    found: 'the holder forgot a node after that node had heard it, and both held the VIP',
    episodes: [
      recorded(
        23,
        planned('damage-input', 'truncate keepalived.conf.ejs', 'holder', 0, 7_222),
        planned('api-lie-everywhere', 'half', 'holder', 680, 7_911),
      ),
    ],
  },
  {
    seed: 203,
    episode: 18,
    found: 'a monitor that got SIGTERM while it started left the redirect',
    episodes: [
      recorded(
        18,
        planned('unplug', 'node', 'holder', 0, 1_536),
        planned('kill', 'haproxy-monitor', 'backup-1', 1_704),
      ),
    ],
  },
  {
    seed: 301,
    episode: 14,
    found: 'HAProxy refused connections before keepalived knew that it would end',
    episodes: [
      recorded(
        14,
        planned('reload-storm', 'keepalived', 'holder', 0),
        planned('stop', 'haproxy-supervisor', 'holder', 1, 4_098),
        planned('stop', 'keepalived-supervisor', 'holder', 784, 6_237),
        planned('restart-pod', 'both', 'holder', 2_868),
      ),
    ],
  },
  {
    // The bug showed two minutes after the first episode. A harmless fault lasts until then, during which nothing may be cut.
    seed: 402,
    episode: 19,
    isRebuilt: true,
    found: 'checks without work of a server that had come back were ended, and its connections with them',
    episodes: [
      recorded(18, planned('remove-member', 'node', 'backup-1', 0, 2_200)),
      recorded(
        19,
        planned('stop', 'keepalived-monitor', 'backup-2', 0, 3_200),
        planned('stop', 'keepalived-monitor', 'backup-2', 125_000, 128_200),
      ),
    ],
  },
  {
    seed: 406,
    episode: 60,
    found: 'timeline did not say that the interface of an unplugged node may be down',
    episodes: [recorded(60, planned('unplug', 'node', 'holder', 0, 5_620))],
  },
  {
    seed: 409,
    episode: 2,
    found: 'clients that had been cut off waited 5.4 s for the new holder',
    episodes: [
      recorded(
        2,
        planned('partition', 'node and client', 'holder', 0, 4_904),
        planned('unplug', 'node', 'holder', 2_013, 7_063),
        planned('exhaust-processes', 'node', 'backup-2', 2_582, 7_944),
      ),
    ],
  },
  {
    seed: 415,
    episode: 57,
    found: 'a full disk left empty files next to lb.track and keepalived.conf',
    episodes: [
      recorded(
        57,
        planned('restart-pod', 'both', 'holder', 0),
        planned('fill-disk', 'node', 'holder', 2_832, 5_228),
      ),
    ],
  },
  {
    seed: 513,
    episode: 33,
    found: 'timeline named no cause for a move from a holder that had taken the VIP at a reload',
    episodes: [
      recorded(
        32,
        planned('remove-member', 'node', 'holder', 0, 6_672),
        planned('stop', 'keepalived-container', 'backup-1', 436, 6_386),
        planned('reload-storm', 'keepalived', 'backup-2', 696),
      ),
      recorded(33, planned('partition', 'node', 'holder', 0, 5_755)),
    ],
  },
  {
    seed: 717,
    episode: 27,
    isRebuilt: true,
    found:
      'a holder whose lb.track was deleted lost the VIP to a node with a higher priority, and connections with it',
    // After one of the two restarts, the holder is not the node with the highest priority.
    episodes: [24, 26].flatMap((number) => [
      recorded(number, planned('restart-pod', 'haproxy', 'holder', 0)),
      recorded(number + 1, planned('damage-output', 'delete run/lb.track', 'holder', 0)),
    ]),
  },
  {
    seed: 3309,
    episode: 42,
    found: 'a holder with a full disk removed its own state file, lost its bonus, and the VIP with it',
    // After the first episode, the holder is not the node with the highest priority.
    episodes: [
      recorded(40, planned('remove-member', 'node', 'holder', 0, 4_470)),
      recorded(
        42,
        planned('kill', 'keepalived-supervisor', 'holder', 0),
        planned('fill-disk', 'node', 'holder', 598, 6_944),
      ),
    ],
  },
];
