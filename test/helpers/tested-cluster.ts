import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Cluster, createCluster } from './cluster.ts';

/** The end of a log that repeats itself is enough. */
const MAX_CHARACTERS = 8_000;

/** A cluster for the running test. Prints its logs if the test fails. */
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
