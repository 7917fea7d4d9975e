import { expect, it } from 'vitest';
import { parseShowStat } from '../../../scripts/demo/show-stat.ts';

it('reads the servers of the backend and nothing else', () => {
  const csv = [
    '# pxname,svname,scur,stot,status,check_status,',
    'main,FRONTEND,1,9,OPEN,,',
    'masters,cp-1,1,5,UP,L7OK,',
    'masters,cp-2,0,4,DOWN 3/13,* L4CON,',
    'masters,BACKEND,1,9,UP,,',
    '',
  ].join('\n');
  expect(parseShowStat(csv)).toEqual([
    { name: 'cp-1', status: 'UP', check: 'L7OK', sessions: 5 },
    { name: 'cp-2', status: 'DOWN 3/13', check: 'L4CON', sessions: 4 },
  ]);
});

it('has no servers in an empty answer', () => {
  expect(parseShowStat('')).toEqual([]);
});
