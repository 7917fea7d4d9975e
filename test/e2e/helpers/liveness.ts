import { runCommand } from '../../../src/system/run-command.ts';
import type { Machine } from './machine.ts';
import type { Probe } from './pod-manifest.ts';

/** Asks once, as the kubelet does: a command that ends with 0 in time, or an answer of 200 to 399 in time. */
export async function askLiveness(machine: Machine, containerName: string, probe: Probe): Promise<boolean> {
  if (probe.exec !== undefined) {
    const argv = ['exec', containerName, ...probe.exec.command];
    const { exitCode, timedOut } = await machine.engine.attempt(argv, probe.timeoutSeconds * 1_000);
    return exitCode === 0 && !timedOut;
  }
  if (probe.httpGet === undefined)
    throw new Error(`Cannot ask "${containerName}": its probe is of no known kind`);
  const { host, port, path } = probe.httpGet;
  const url = `http://${host ?? machine.node.address}:${port}${path}`;
  const limit = ['--max-time', String(probe.timeoutSeconds)];
  const argv = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', ...limit, url];
  const { stdout } = await runCommand([...machine.prefix, ...argv], { timeoutMs: 30_000 });
  return Number(stdout) >= 200 && Number(stdout) < 400;
}
