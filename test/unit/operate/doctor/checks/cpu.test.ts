import { expect, test } from 'vitest';
import { judgeCpu } from '../../../../../src/operate/doctor/checks/cpu.ts';
import { examine } from '../../../../helpers/doctor/scene.ts';

test('cpu: a process that does not get to run is told from one that does', () => {
  expect(judgeCpu({ pressure: 3, waited: 1 })).toMatchObject({ kind: 'ok' });
  expect(judgeCpu({ pressure: 80, waited: 1 })).toMatchObject({ kind: 'warn' });
  expect(judgeCpu({ pressure: 80, waited: 90 })).toMatchObject({ kind: 'fail' });
  expect(judgeCpu({ pressure: undefined, waited: undefined })).toMatchObject({ kind: 'unknown' });
});

test("cpu: the kernel's own figure is what is read", async () => {
  const pressure =
    'some avg10=71.20 avg60=1.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';
  const finding = await examine('cpu', { '/proc/pressure/cpu': pressure });
  expect(finding.found).toContain('71 % of the last 10 s');
  expect(finding.kind).not.toBe('ok');
});
