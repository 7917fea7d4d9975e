import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { planned } from '../../../src/commands/products.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { supervisorStatusSchema } from '../../../src/haproxy/supervise/supervisor-status.ts';
import { type PlanReport, planSchema } from '../../../src/operate/plan/report.ts';
import { askRaw } from '../supervisor-ask.ts';
import { hawser } from '../supervisor-build.ts';
import type { BedNode } from './bed-node.ts';
import { sendSignal, waitForEnd } from './bed-process.ts';
import type { NodeStack } from './node-stack.ts';

export interface Planned {
  readonly exitCode: number | undefined;
  readonly report: PlanReport;
}

const schema = planSchema(planned);

/** What `hawser plan --json` says on this node, of these settings or of the present ones. */
export async function planOn(node: BedNode, settings?: string): Promise<Planned> {
  const { exitCode, stdout, stderr } = await runPlan(node, settings, '--json');
  try {
    return { exitCode, report: schema.parse(JSON.parse(stdout)) };
  } catch (cause) {
    throw new Error(`Cannot read the plan: exit code ${exitCode}, ${stdout}${stderr}`, { cause });
  }
}

export async function runPlan(node: BedNode, settings: string | undefined, ...flags: readonly string[]) {
  const candidate = node.at('candidate.yaml');
  if (settings !== undefined) writeFileSync(candidate, settings);
  const asked = settings === undefined ? [] : ['--config', candidate];
  const argv = [hawser, 'plan', '--timeout', '30s', ...asked, ...flags];
  return await runCommand([...node.namespace.prefix, ...argv], { timeoutMs: 60_000 });
}

/** As it stands in the arguments of a container's daemon. */
function words(container: string): string {
  const [program = '', role = 'supervise'] = container.split('-');
  return ` ${program} ${role} `;
}

/** As a person would: writes the settings, and restarts the containers that have to be, all at once. */
export async function applyOn(
  stack: NodeStack,
  node: BedNode,
  settings: string,
  restarts: PlanReport['restarts'],
): Promise<void> {
  writeFileSync(node.at('config.yaml'), settings);
  const wanted = restarts.map(({ container }) => words(container));
  const ids = node
    .processes()
    .flatMap(({ id, argv }) => (wanted.some((each) => argv.join(' ').includes(each)) ? id : []));
  sendSignal(ids, 'SIGTERM');
  await waitForEnd(ids, 60_000);
  await stack.start(node);
}

/** The number of the generation of HAProxy that serves on this node. */
export async function generationOf(node: BedNode): Promise<number> {
  const [answer] = await askRaw(join(node.runDir, 'haproxy-master.sock'), 'status\n');
  return supervisorStatusSchema.parse(answer).current?.generation ?? 0;
}

/** How often keepalived of this node was given another configuration. */
export async function configurationOf(node: BedNode): Promise<number> {
  const [answer] = await askRaw(join(node.runDir, 'keepalived.sock'), 'status\n');
  const { current } = z.object({ current: z.object({ generation: z.number() }) }).parse(answer);
  return current.generation;
}
