import fc from 'fast-check';
import type { ServerCandidate } from '../../src/engine/kube/control-plane/choose-servers.ts';
import { parseNode } from '../../src/engine/kube/control-plane/server-objects.ts';
import { node as nodeObject } from '../helpers/api-server/objects.ts';
import { hostileText, jsonNear } from './hostile.ts';

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom(
    '10.0.0.2',
    '10.0.0.2',
    '10.0.0.5',
    'fd00::2',
    '::ffff:10.0.0.2',
    'fe80::1%eth0',
    '0.0.0.0',
    '10.0.0.2/24',
  ),
  hostileText,
);
const name = fc.oneof(hostileText, fc.constantFrom('a', 'b', 'A', 'cp-2'));
const objects = fc.oneof(
  fc
    .tuple(name, fc.array(address, { maxLength: 3 }), fc.integer({ min: 2, max: 254 }))
    // The last address of each family is valid, so that most names reach the file.
    .map(([own, addresses, last]): unknown =>
      nodeObject(own, [...addresses, `10.0.0.${last}`, `fd00::${last}`]),
    ),
  jsonNear([nodeObject('cp-2', ['10.0.0.2']), nodeObject('cp-3', ['10.0.0.3', 'fd00::3'])]),
);

/** Candidates parsed from nodes as an API could return them: arbitrary names, addresses and labels, and objects that are not nodes. */
export const candidates: fc.Arbitrary<readonly ServerCandidate[]> = fc
  .array(objects, { minLength: 1, maxLength: 12 })
  .map((all) => all.flatMap((each) => parseNode(6443)(each).candidates));

export const vipLists: fc.Arbitrary<readonly string[]> = fc.constantFrom(
  ['10.0.0.5'],
  ['fd00::5'],
  ['10.0.0.5', 'fd00::5'],
  ['fd00::5', '10.0.0.5'],
  [],
);
