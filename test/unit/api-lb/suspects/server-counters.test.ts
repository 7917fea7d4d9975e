import { expect, test } from 'vitest';
import { parseServerCounters } from '../../../../src/api-lb/suspects/server-counters.ts';

const csv = `# pxname,svname,bout,econ,wretr,wredis,status,tracked,type,lbtot,addr,ctime_max,
main,FRONTEND,9,,,,OPEN,,0,,,,
masters,cp-1,5,1,2,3,UP,masters_checks/cp-1,2,7,10.0.0.1:6443,250,
masters,cp-2,0,0,0,0,NOLB,masters_checks/cp-2,2,0,[fd00::2]:6443,0,
masters,BACKEND,5,1,2,3,UP,,1,7,,,
masters_checks,cp-1,0,0,0,0,UP,,2,0,10.0.0.1:6443,0,
masters_checks,cp-2,0,0,0,0,NOLB,,2,0,[fd00::2]:6443,0,
plain,cp-3,0,0,0,0,UP 1/2,,2,0,10.0.0.3:443,0,
plain,cp-4,0,0,0,0,UP,,2,0,unix,0,
`;

test('lists the servers that serve clients, each with the server whose health checks apply', () => {
  expect(parseServerCounters(csv)).toEqual([
    {
      name: 'masters/cp-1',
      checkedAs: 'masters_checks/cp-1',
      isUp: true,
      address: { host: '10.0.0.1', port: 6443 },
      failedAttempts: 6,
      redispatched: 3,
      longestConnectMs: 250,
      chosen: 7,
      bytesFromServer: 5,
    },
    expect.objectContaining({
      name: 'masters/cp-2',
      isUp: false,
      address: { host: 'fd00::2', port: 6443 },
    }),
  ]);
});

test('lists servers of extra ports, but not the servers that exist only to be tracked', () => {
  const extra = `extra_rke2,cp-1,5,1,2,3,UP,extra_rke2_checks/cp-1,2,7,10.0.0.1:9345,250,
extra_rke2_checks,cp-1,0,0,0,0,UP,,2,0,10.0.0.1:9345,0,
`;
  expect(parseServerCounters(csv + extra)?.map(({ name }) => name)).toEqual([
    ...['masters/cp-1', 'masters/cp-2', 'extra_rke2/cp-1'],
  ]);
});

test('an invalid number is read as 0', () => {
  const [first] = parseServerCounters(csv.replace('cp-1,5,1,2,3,UP', 'cp-1,x,?,2,3,UP')) ?? [];
  expect(first).toMatchObject({ bytesFromServer: 0, failedAttempts: 5 });
});

test('other backends are listed only if the API servers are missing', () => {
  expect(parseServerCounters(csv.replaceAll('masters', 'apiservers'))?.map(({ name }) => name)).toEqual([
    ...['apiservers/cp-1', 'apiservers/cp-2', 'plain/cp-3'],
  ]);
});

test('invalid statistics are not mistaken for a counter reset', () => {
  expect(parseServerCounters('Permission denied\n')).toBeUndefined();
  expect(parseServerCounters('')).toBeUndefined();
});
