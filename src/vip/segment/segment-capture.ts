import type { Answer } from '../../engine/system/network/neighbours.ts';
import { elementsOf, type NftOptions } from '../../engine/system/nft/nft.ts';
import { advertForm, vipAtAnyPlace } from './advert-capture.ts';
import { type AskedVip, answerForm, parseAnswers, setsOfPairs } from './answer-capture.ts';
import { type Capture, type CaptureForm, createCapture, type IngressRule } from './capture.ts';
import type { ForeignAdvert, WatchedRouterId } from './foreign-router.ts';

export interface SegmentTargets {
  readonly vips: readonly AskedVip[];
  readonly routerIds: readonly WatchedRouterId[];
}

export interface SegmentSeen {
  readonly answers: readonly Answer[];
  /** The VIPs of which an advert came in: their holder sends its adverts to this node. */
  readonly advertised: ReadonlySet<string>;
  readonly foreign: readonly ForeignAdvert[];
}

/** One table for all that this node's monitor sees of the segment. */
export function createSegmentCapture(options: NftOptions = {}): Capture<SegmentTargets, SegmentSeen> {
  return createCapture('hawser_segment', segmentForm, options);
}

const ADVERTS = setsOfPairs('adverts_');

/** Sets of single rounds. Those of foreign adverts are filled for as long as they are listened for. */
export const isAnswerSet = (set: string): boolean => set === 'ipv4' || set === 'ipv6';
export const isAdvertSet = (set: string): boolean => set in ADVERTS;

const vipsIn = (targets: readonly SegmentTargets[]) => targets.flatMap(({ vips }) => vips);
const idsIn = (targets: readonly SegmentTargets[]) => targets.flatMap(({ routerIds }) => routerIds);

const segmentForm: CaptureForm<SegmentTargets, SegmentSeen> = {
  sets: (targets) => ({
    ...answerForm.sets(vipsIn(targets)),
    ...ADVERTS,
    ...advertForm.sets(idsIn(targets)),
  }),
  // The rules about foreign adverts come last: they pass over what is ours.
  rules: (targets) => [
    ...answerForm.rules(vipsIn(targets)),
    ...vipsIn(targets).flatMap(advertRulesOf),
    ...advertForm.rules(idsIn(targets)),
  ],
  parse: (json, targets) => ({
    answers: parseAnswers(json),
    advertised: parseAdvertised(json),
    foreign: advertForm.parse(json, idsIn(targets)),
  }),
};

/** Priority 0 is a goodbye. */
function advertRulesOf({ vip, family, interface: device }: AskedVip): readonly IngressRule[] {
  const header = family === 'ipv4' ? 'ip protocol 112' : 'ip6 nexthdr 112';
  return vipAtAnyPlace(family, vip).map((isThere) => ({
    interface: device,
    rule: `${header} @th,16,8 != 0 ${isThere} add @adverts_${family} { ${vip} . ether saddr }`,
  }));
}

function parseAdvertised(json: string): ReadonlySet<string> {
  const elements = Object.keys(ADVERTS).flatMap((set) => elementsOf(json, set));
  return new Set(elements.flatMap(([vip]) => (typeof vip === 'string' ? vip : [])));
}
