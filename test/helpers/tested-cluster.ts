import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Cluster, createCluster } from './cluster.ts';

/** Of a log that repeats itself its end says enough. */
const MAX_CHARACTERS = 8_000;

/** A cluster of the running test's own. If the test fails, its logs are printed. */
export async function createTestedCluster(count: number): Promise<Cluster> {
  const cluster = await createCluster(count);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') printLogs(cluster.dir);
    await cluster[Symbol.asyncDispose]();
  });
  return cluster;
}

function printLogs(dir: string): void {
  for (const name of readdirSync(dir).filter((each) => each.endsWith('.log')))
    console.error(`${name}:\n${readFileSync(join(dir, name), 'utf8').slice(-MAX_CHARACTERS)}`);
}
