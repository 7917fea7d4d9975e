import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import type { Authority } from '../../helpers/certificates.ts';

/** The stand-in API server as a process of its own, so that its memory and its work are not the bench's. */
export async function startStandIn(
  authority: Authority,
  stateFile: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const { certFile, keyFile } = authority.issue({ commonName: 'kube-apiserver', addresses: ['127.0.0.1'] });
  const program = join(import.meta.dirname, '../../helpers/api-server/main.ts');
  const flags = ['--cert', certFile, '--key', keyFile, '--ca', authority.certFile, '--state', stateFile];
  const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { port } = z.parse(z.object({ port: z.number() }), JSON.parse(line));
  return {
    url: `https://127.0.0.1:${port}`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
