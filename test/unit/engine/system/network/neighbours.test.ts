import { expect, test } from 'vitest';
import { answered, forgetUnanswered } from '../../../../../src/engine/system/network/neighbours.ts';
import { parseList } from '../../../../../src/engine/system/text/parse-json.ts';

test('answered neighbours are read with their MAC, and others are omitted', () => {
  const json =
    '[{"dst":"10.77.0.12","dev":"eth0","lladdr":"3a:b8:c6:f5:39:40","state":["REACHABLE"]},{"dst":"fe80::38b8:c6ff:fef5:3940","dev":"eth0","lladdr":"3a:b8:c6:f5:39:40","state":["STALE"]},{"dst":"fd77::100","dev":"eth0","state":["INCOMPLETE"]}]';
  const mac = '3a:b8:c6:f5:39:40';
  expect(parseList(json, answered)).toEqual([
    { address: '10.77.0.12', mac },
    { address: 'fe80::38b8:c6ff:fef5:3940', mac },
  ]);
});

test('the error for a missing interface names it', async () => {
  expect(await forgetUnanswered('nowhere0')).toMatch(
    /^Cannot run "ip neigh flush dev nowhere0 nud incomplete": .*nowhere0.*, expected exit code 0$/,
  );
});
