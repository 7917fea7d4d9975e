import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { pidFileFlags, REAL_TIME } from '../keepalived-process.ts';
import type { NetNamespace } from '../net-namespace.ts';
import { waitFor } from '../wait-for.ts';
import { temporaryRoot } from './scene.ts';

/** A real keepalived that becomes MASTER of the VIP at once and sends adverts to one peer. */
export async function startSpeaker(
  namespace: NetNamespace,
  {
    from,
    to,
    vip,
    everySeconds = 0.1,
  }: { readonly from: string; readonly to: string; readonly vip: string; readonly everySeconds?: number },
): Promise<void> {
  const dir = temporaryRoot({});
  const config = join(dir, 'keepalived.conf');
  writeFileSync(
    config,
    `global_defs {
  vrrp_version 3
}
vrrp_instance API {
  state MASTER
  interface eth0
  virtual_router_id 77
  priority 200
  advert_int ${everySeconds}
  unicast_src_ip ${from}
  unicast_peer {
    ${to}
  }
  virtual_ipaddress {
    ${vip}/32
  }
}
`,
  );
  const [file, ...prefix] = namespace.prefix;
  const flags = ['-n', '-P', '-l', '-G', '-f', config, ...pidFileFlags((name) => join(dir, name))];
  const child = spawn(file, [...prefix, ...REAL_TIME, 'keepalived', ...flags], {
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: dir },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await waitFor('keepalived to hold the VIP', async () =>
    (await namespace.run('ip', '-o', 'address', 'show', 'to', vip)).includes(vip),
  );
}
