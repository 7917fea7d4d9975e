import { expect, it } from 'vitest';
import { createRenderThread } from '../../../../src/engine/render/render-in-thread.ts';
import { type RenderJob, render } from '../../../../src/engine/render/render-job.ts';
import { patientTimer } from '../../../../src/engine/system/time/patient-timeout.ts';
import { cpuTimer } from '../../../helpers/cpu-timer.ts';
import { stall } from '../../../helpers/stall.ts';

const jobOf = (templateText: string): RenderJob => ({
  templateText,
  templatePath: '/etc/t.ejs',
  model: { servers: [{ name: 'cp-1', address: '10.0.0.1', port: 6443 }] },
});
const good = jobOf('a <%= servers.length %>\n');
/** Ends by itself long after the timeout: if it were not stopped, the test would fail and leave no thread behind. */
const endless = '<% const end = Date.now() + 100_000; while (Date.now() < end) {} %>';

const getFunction = "''.constructor.constructor";

it.each([
  ['good', good],
  ['of an unknown name', jobOf('a\nb <%= typo %>')],
  ['broken', jobOf('a\n<% if ( %>\n')],
])('a template that is %s has the same result as without a thread', async (_what, job) => {
  expect(await createRenderThread().render(job)).toEqual(render(job));
});

it.each([
  ['does not end', endless, 'it did not finish within 300 ms', 300],
  ['does not end in its second line', `a\n${endless}\n`, '"/etc/t.ejs" line 2: it did not finish', 300],
  [
    // In large pieces: with small ones V8 may keep collecting garbage at the limit until the timeout.
    'fills the memory',
    '<% const all = []; for (;;) all.push(new Array(100_000).fill({})); %>',
    'MAX_THREAD_MB (32 MB)',
    60_000,
  ],
  ['ends the process', `<% ${getFunction}('return process')().exit(3) %>`, 'ended the thread', 60_000],
])(
  'a template that %s is a failure, and the next one is rendered',
  async (_what, text, message, timeoutMs) => {
    const thread = createRenderThread({ timeoutMs, timer: cpuTimer });
    const outcome = await thread.render(jobOf(text));
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining(message) });
    expect(await thread.render(good)).toMatchObject({ kind: 'rendered' });
  },
  120_000,
);

it('a template that never finished is not rendered again at once, with the same or another model', async () => {
  const thread = createRenderThread({ timeoutMs: 300, timer: cpuTimer, retryMs: 3_600_000 });
  const first = await thread.render(jobOf(endless));
  const startedMs = process.cpuUsage().user;
  for (const job of [jobOf(endless), ...[1, 2, 3].map((round) => ({ ...jobOf(endless), model: { round } }))])
    expect(await thread.render(job)).toBe(first);
  expect(process.cpuUsage().user - startedMs).toBeLessThan(300_000);
});

it('an answer that arrived while this process was stalled is accepted', async () => {
  let timeoutMs = 60_000;
  const thread = createRenderThread({ timer: (_, onLate) => patientTimer(timeoutMs, onLate) });
  expect(await thread.render(good)).toMatchObject({ kind: 'rendered' });
  timeoutMs = 500;
  const outcome = thread.render(jobOf('b <%= servers.length %>\n'));
  // By then the thread has the job.
  await new Promise((resolve) => setImmediate(resolve));
  stall(1_500);
  expect(await outcome).toMatchObject({ kind: 'rendered' });
});

it('a thread that ended because it was idle is started again', async () => {
  const thread = createRenderThread({ idleMs: 0 });
  expect(await thread.render(good)).toMatchObject({ kind: 'rendered' });
  const other = jobOf('b <%= servers.length %>\n');
  expect(await thread.render(other)).toEqual(render(other));
});
