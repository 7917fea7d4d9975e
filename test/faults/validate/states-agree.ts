import { holdingsOf, type Stretch } from '../../helpers/vrrp/holdings.ts';
import type { Verdict } from './verdict.ts';
import { faultsNear, isStarved, keptByFaults, minus, relative, type View } from './view.ts';

const AGREE_MS = 1_000;
/** How long a starting supervisor may need to learn keepalived's state. */
const STARTING_MS = 5_000;

/** V2: `vrrp-state.json`, the kernel and the number of holders agree within a second of a change. */
export function statesAgree(view: View): Verdict {
  const disagreements = view.run.nodes.flatMap(({ name }) =>
    minus(disagreementsOf(view, name), blindOf(view, name))
      .filter(({ fromMs, toMs }) => toMs - fromMs > AGREE_MS)
      .map((stretch) => ({ ...stretch, name })),
  );
  const rests = view.rests.filter(({ reached }) => reached);
  const wrongRests = rests.filter(({ atMs }) => holdersAt(view, atMs) !== 1);
  return {
    name: 'V2',
    claim: 'a node has the address exactly while it is MASTER, and one node has it at rest',
    judged: view.of('vrrp').length + rests.length,
    violations: [
      ...disagreements.map(({ fromMs, toMs, name }) => ({
        atMs: fromMs,
        what: `${name}: address and VRRP state disagree for ${Math.round(toMs - fromMs)} ms`,
        proof: [
          ...holdingsOf(view.holdings)
            .filter((each) => each.node === name && each.toMs >= fromMs && each.fromMs <= toMs)
            .map((each) => `address ${relative(each.fromMs, fromMs)} to ${relative(each.toMs, fromMs)}`),
          ...view
            .of('vrrp')
            .filter((each) => each.node === name && Math.abs(each.atMs - fromMs) < 5_000)
            .map(({ state, atMs }) => `state ${state} ${relative(atMs, fromMs)}`),
          ...faultsNear(view, fromMs, toMs),
        ],
        starved: isStarved(view, fromMs, toMs),
      })),
      ...wrongRests.map(({ atMs, episode }) => ({
        atMs,
        what: `${holdersAt(view, atMs)} holders at the rest after episode ${episode}`,
        proof: faultsNear(view, atMs, atMs),
        starved: isStarved(view, atMs, atMs),
      })),
    ],
    notes: [],
  };
}

function holdersAt({ holdings }: View, atMs: number): number {
  return holdingsOf(holdings).filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs).length;
}

function disagreementsOf(view: View, name: string): readonly Stretch[] {
  const { startMs, endMs, holdings } = view;
  const held = holdingsOf(holdings).filter(({ node }) => node === name);
  const master = mastersOf(view, name);
  const whole = { fromMs: startMs, toMs: endMs };
  const inside = (stretches: readonly Stretch[]) => minus([whole], minus([whole], stretches));
  return [...minus(inside(held), master), ...minus(inside(master), held)];
}

function mastersOf(view: View, name: string): readonly Stretch[] {
  const states = view.of('vrrp').filter(({ node }) => node === name);
  return states.flatMap(({ state, atMs }, index) =>
    state === 'MASTER' ? [{ fromMs: atMs, toMs: states[index + 1]?.atMs ?? view.endMs }] : [],
  );
}

/** While the supervisor is down or impaired, its file is stale. Some address changes it cannot see at all. */
function blindOf(view: View, name: string): readonly Stretch[] {
  const faults = view.faults
    .filter(({ nodes, bound }) => nodes.includes(name) && bound.blind)
    .map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + STARTING_MS }));
  const parts = view.of('part').filter(({ node, part }) => node === name && part === 'keepalived');
  const away = parts.map(({ atMs }) => ({ fromMs: atMs - AGREE_MS, toMs: atMs + STARTING_MS }));
  const unseen = keptByFaults(view).filter(({ node }) => node === name);
  return [...faults, ...away, ...unseen];
}
