import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import type { Machine } from './machine.ts';
import type { Probe } from './pod-manifest.ts';

/**
 * Runs a probe once, as the kubelet does: within `patience` times the manifest's timeout, the command must exit with 0
 * or the answer be HTTP 200 to 399.
 */
export async function askProbe(
  machine: Machine,
  containerName: string,
  probe: Probe,
  patience: number,
): Promise<boolean> {
  const limitSeconds = probe.timeoutSeconds * patience;
  if (probe.exec !== undefined) {
    const argv = ['exec', containerName, ...probe.exec.command];
    const { exitCode, timedOut } = await machine.engine.attempt(argv, limitSeconds * 1_000);
    return exitCode === 0 && !timedOut;
  }
  if (probe.httpGet === undefined)
    throw new Error(`Cannot ask "${containerName}": its probe is of no known kind`);
  const { host, port, path } = probe.httpGet;
  const url = `http://${host ?? machine.node.address}:${port}${path}`;
  const limit = ['--max-time', String(limitSeconds)];
  const argv = ['curl', '-s', '-o', '/dev/null', '-w', '%{http_code}', ...limit, url];
  const { stdout } = await runCommand([...machine.prefix, ...argv], { timeoutMs: 60_000 });
  return Number(stdout) >= 200 && Number(stdout) < 400;
}
