import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import * as z from 'zod/mini';
import type { Scene } from '../../../test/bench/failover/scene.ts';
import type { BedNode } from '../../../test/helpers/vrrp/bed-node.ts';
import { waitFor } from '../../../test/helpers/wait-for.ts';

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** In order; none where Prometheus has no value, or none that is finite. */
  readonly points: readonly Point[];
}

export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How often the agents look, and so how far apart points are. */
export const STEP_MS = 2_000;
/** After this long what an agent saw has arrived. */
const ARRIVAL_MS = 4_000;

/** Answers with what the expression gives over the range; throws Prometheus's own words where it refuses. */
export type AskRange = (expression: string, range: Range) => Promise<readonly Series[]>;

export interface Prometheus {
  readonly ask: AskRange;
  /** From when each program of each node was first seen, to the last moment of which everything has arrived. */
  seen(): Range;
}

/**
 * As docs/monitoring.md says, and with its scrape configuration: an agent on each node's network reads the node's loopback. The
 * Prometheus to which they write is on the machine that is no member. All ends with the scene.
 */
export async function startPrometheus(scene: Scene, cluster: string): Promise<Prometheus> {
  const program = execFileSync('sh', ['scripts/packaged-programs.sh', 'prometheus', 'prometheus'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const { guest, members } = scene;
  const central = `http://${guest.address}:9090`;
  writeFileSync(guest.at('prometheus.yaml'), '');
  guest.start('prometheus', [
    ...[program, `--config.file=${guest.at('prometheus.yaml')}`, '--web.enable-remote-write-receiver'],
    ...[`--web.listen-address=${guest.address}:9090`, `--storage.tsdb.path=${guest.at('prometheus')}`],
  ]);
  for (const node of members) startAgent(program, node, cluster, central);
  const ask: AskRange = (expression, range) => askRange(guest, central, expression, range);
  const everyTarget = members.length * jobs.length;
  const fromMs = await waitFor(
    'every program to be scraped',
    async () => {
      const now = Date.now();
      const [up] = await ask('sum(up{cluster!=""})', { fromMs: now, toMs: now });
      return up?.points.at(-1)?.value === everyTarget && now;
    },
    60_000,
  );
  return { ask, seen: () => ({ fromMs, toMs: Date.now() - ARRIVAL_MS }) };
}

const root = new URL('../../..', import.meta.url);
const documented = documentedScraping();
const jobs = scraping('').scrape_configs;

function startAgent(program: string, node: BedNode, cluster: string, central: string): void {
  const configuration = {
    ...scraping(node.name),
    global: { scrape_interval: `${STEP_MS}ms`, scrape_timeout: `${STEP_MS}ms`, external_labels: { cluster } },
    remote_write: [{ url: `${central}/api/v1/write`, queue_config: { batch_send_deadline: '1s' } }],
  };
  writeFileSync(node.at('prometheus.yaml'), stringify(configuration));
  node.start('prometheus', [
    ...[program, '--enable-feature=agent', `--config.file=${node.at('prometheus.yaml')}`],
    ...['--web.listen-address=127.0.0.1:9090', `--storage.agent.path=${node.at('prometheus')}`],
  ]);
}

/** As `envsubst` would, to which the page points. */
function scraping(nodeName: string) {
  const schema = z.object({ scrape_configs: z.array(z.unknown()) });
  return schema.parse(parse(documented.replaceAll(`\${NODE_NAME}`, nodeName)));
}

function documentedScraping(): string {
  const text = readFileSync(new URL('docs/monitoring.md', root), 'utf8');
  const [, block] = /```yaml\n(.*?)```/s.exec(text) ?? [];
  if (block === undefined) throw new Error('Cannot scrape: docs/monitoring.md shows no configuration');
  return block;
}

const answer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('success'),
    data: z.object({
      result: z.array(
        z.object({
          metric: z.record(z.string(), z.string()),
          values: z.array(z.tuple([z.number(), z.string()])),
        }),
      ),
    }),
  }),
  z.object({ status: z.literal('error'), error: z.string() }),
]);

async function askRange(
  asker: BedNode,
  url: string,
  query: string,
  range: Range,
): Promise<readonly Series[]> {
  const fields = { query, start: range.fromMs / 1_000, end: range.toMs / 1_000, step: STEP_MS / 1_000 };
  const flags = Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`]);
  const text = await asker.namespace.run('curl', '-sS', `${url}/api/v1/query_range`, ...flags);
  const reply = answer.parse(JSON.parse(text));
  if (reply.status === 'error') throw new Error(reply.error);
  return reply.data.result.map(({ metric, values }) => ({
    labels: metric,
    points: values
      .map(([seconds, value]) => ({ atMs: seconds * 1_000, value: Number(value) }))
      .filter(({ value }) => Number.isFinite(value)),
  }));
}
