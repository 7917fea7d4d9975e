import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { apiServerAnswers, startApiServer } from '../../helpers/vrrp/api-server.ts';
import type { BedClient } from '../../helpers/vrrp/bed-client.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import type { HawserStackOptions } from '../../helpers/vrrp/hawser.ts';
import { type HoldingEvent, quietFor } from '../../helpers/vrrp/holdings.ts';
import { type NodeStack, stackPorts } from '../../helpers/vrrp/node-stack.ts';
import { createVrrpBed, type VrrpBed, type VrrpBedOptions } from '../../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { createStack, type Subject } from './subject.ts';

/** Three nodes of one subject that serve a client, and a fourth node that may join. */
export interface Scene extends AsyncDisposable {
  readonly subject: Subject;
  readonly bed: VrrpBed;
  readonly stack: NodeStack;
  readonly client: BedClient;
  /** A second client with a long timeout, which measures the whole wait of a connection. Only if requested. */
  readonly patient?: BedClient | undefined;
  readonly members: readonly BedNode[];
  readonly guest: BedNode;
  /**
   * When keepalived was killed on a node. A VIP that the node held is stale from then on, until the node takes it again.
   * Appended to by faults.
   */
  readonly kills: HoldingEvent[];
  /** Starts the API server and all of the subject's programs, as after a boot. */
  bootNode(node: BedNode): Promise<void>;
  /** Resolves once one node has held the VIP and the client has been served for a while; rejects after two minutes. */
  rested(): Promise<BedNode>;
  /** Copies the nodes' folders, which have all logs, to a folder. */
  keepLogs(to: string): void;
}

const PATIENCE_MS = 120_000;
const PATIENT = { timeoutMs: 20_000, gapMs: 100 };

export interface SceneOptions extends VrrpBedOptions, HawserStackOptions {
  /** How long the client waits for an answer. */
  readonly clientTimeoutMs?: number;
  /** Start a second, patient client. */
  readonly patient?: boolean;
  /** How long the VIP has to stay put before the scene counts as rested; default 1,500. */
  readonly restMs?: number;
}

export async function openScene(subject: Subject, options: SceneOptions = {}): Promise<Scene> {
  const stack = new AsyncDisposableStack();
  try {
    return await furnish(subject, stack.use(await createVrrpBed(4, options)), options, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function furnish(
  subject: Subject,
  bed: VrrpBed,
  options: SceneOptions,
  stack: AsyncDisposableStack,
): Promise<Scene> {
  const members = bed.nodes.slice(0, 3);
  const guest = bed.nodes.find((node) => !members.includes(node));
  if (guest === undefined) throw new Error('Cannot open the scene: there is no fourth node');
  bed.setMembers(members);
  const nodeStack = createStack(subject, bed, members, options);
  const bootNode = async (node: BedNode) => {
    startApiServer(bed, node);
    await nodeStack.start(node);
  };
  for (const node of members) startApiServer(bed, node);
  for (const node of members)
    await waitFor(`${node.name} to answer`, () => apiServerAnswers(node), PATIENCE_MS);
  await Promise.all(members.map((node) => nodeStack.start(node)));
  await waitFor('a node to hold the VIP', () => bed.holders().length === 1, PATIENCE_MS);
  const client = await bed.startClient(stackPorts.lb, options.clientTimeoutMs);
  const { restMs = 1_500 } = options;
  const patient =
    options.patient === true
      ? await bed.startClient(stackPorts.lb, PATIENT.timeoutMs, PATIENT.gapMs)
      : undefined;
  return {
    subject,
    bed,
    stack: nodeStack,
    client,
    patient,
    members,
    guest,
    kills: [],
    bootNode,
    rested: () =>
      waitFor(
        `${subject} to rest`,
        () => {
          const isCalm = client.calmFor(restMs) && quietFor(bed.events(), restMs);
          return isCalm && bed.holders().length === 1 ? bed.holders()[0] : undefined;
        },
        PATIENCE_MS,
      ),
    keepLogs: (to) =>
      cpSync(bed.dir, join(to, subject), { recursive: true, filter: (path) => !isSocket(path) }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function isSocket(path: string): boolean {
  return path.endsWith('.sock') || path.endsWith('.fifo') || path.endsWith('/pki');
}
