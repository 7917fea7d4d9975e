import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mainParts } from '../../../src/engine/config/layout.ts';
import { writeFileAtomically } from '../../../src/engine/system/file/atomic-write.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { createDecider } from '../../../src/router/decide/decide.ts';
import type { RouterObjects } from '../../../src/router/follow/router-objects.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { writeOut } from '../../../src/router/render/write-out.ts';
import type { RouterSettings } from '../../../src/router/settings/router-settings.ts';
import { createRouterRenderer } from '../../helpers/router/render-router.ts';
import { routerTemplate } from '../../helpers/router/router-settings.ts';

/** Wall-clock times in ms, and the CPU time of HAProxy's check. */
export interface RenderCost {
  readonly decideMs: number;
  readonly renderMs: number;
  readonly writeMs: number;
  readonly allMs: number;
  /** Time to decide, render and write after the endpoints of one route change. Only the main file differs. */
  readonly changedMs: number;
  /** CPU time of `haproxy -c`. */
  readonly checkCpuMs: number;
}

const certificate = selfSigned('default', new Date());

/** Measures from objects in memory to files on disk, and a check of the files. */
export async function renderCost(objects: RouterObjects, settings: RouterSettings): Promise<RenderCost> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-router-'));
  try {
    const decide = createDecider(settings);
    const render = createRouterRenderer(settings);
    const from = monotonicMs();
    const { model } = decide(objects);
    const decided = monotonicMs();
    const outcome = render(routerTemplate, model, certificate);
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    const rendered = monotonicMs();
    await writeOut(folder, outcome.rendered);
    const written = monotonicMs();
    const again = render(routerTemplate, decide(withChange(objects)).model, certificate);
    if (again.kind === 'failed') throw new Error(again.message);
    await writeFileAtomically(join(folder, 'changed.cfg'), mainParts(again.rendered, folder), {
      mode: 0o600,
    });
    const changedMs = monotonicMs() - written;
    return {
      changedMs,
      decideMs: decided - from,
      renderMs: rendered - decided,
      writeMs: written - rendered,
      allMs: written - from,
      checkCpuMs: await checkCpuMs(join(folder, 'haproxy.cfg')),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function withChange(objects: RouterObjects): RouterObjects {
  const [first, ...others] = objects.endpoints;
  if (first === undefined) return objects;
  const subsets = first.subsets.map((subset) => ({ ...subset, addresses: subset.addresses.slice(1) }));
  return { ...objects, endpoints: [{ ...first, subsets }, ...others] };
}

/** The shell reports its children's user and system time in minutes and seconds (times in sh(1)). */
async function checkCpuMs(path: string): Promise<number> {
  const script = 'haproxy -q -c -f "$1" && times';
  const { exitCode, stdout, stderr } = await runCommand(['sh', '-c', script, 'sh', path], {
    timeoutMs: 120_000,
  });
  if (exitCode !== 0) throw new Error(`Cannot check "${path}": ${stderr.slice(0, 500)}`);
  const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}
