import { expect, test } from 'vitest';
import { products } from '../../../../../src/commands/products.ts';
import type { ProgramOutcome, RunProgram } from '../../../../../src/engine/examine/run-program.ts';
import { checksOf } from '../../../../../src/operate/doctor/registry.ts';
import { lookForAddress } from '../../../../../src/vip/doctor/look/own-address.ts';
import { contextOf, temporaryRoot } from '../../../../helpers/doctor/scene.ts';

const checks = checksOf(products);

const { signal } = new AbortController();
const printed = (stdout: string, exitCode = 0, stderr = ''): ProgramOutcome => ({
  ...{ kind: 'ran', exitCode, stdout, stderr },
});
const late: ProgramOutcome = { kind: 'late', message: '"ip" was not done after 5000 ms' };

test('a missing address is distinguished from a failed check', async () => {
  const here = '[{},{"ifname":"eth0","addr_info":[{"local":"10.0.0.100","prefixlen":32}]}]';
  const look = (outcome: ProgramOutcome) => lookForAddress(async () => outcome, '10.0.0.100', signal);
  expect(await look(printed(here))).toEqual({ kind: 'looked', interfaces: ['eth0'] });
  expect(await look(printed('[{}]'))).toEqual({ kind: 'looked', interfaces: [] });
  expect(await look(late)).toEqual({ kind: 'failed', message: late.message });
  expect(await look(printed('', 1, 'Operation not permitted\n'))).toEqual({
    kind: 'failed',
    message: 'ip address show: Operation not permitted',
  });
  expect(await look(printed('[{'))).toMatchObject({ kind: 'failed' });
});

test.each(['vip-holder', 'vrrp-adverts'])('%s: no verdict where ip does not answer', async (id) => {
  const check = checks.find((each) => each.id === id);
  const context = contextOf(temporaryRoot({}), { apiVips: ['10.0.0.100'] }, signal);
  const run: RunProgram = async ([program]) => (program === 'ip' ? late : printed('{"nftables":[]}'));
  expect(await check?.run({ ...context, run }, signal)).toMatchObject({
    kind: 'unknown',
    found: late.message,
  });
});
