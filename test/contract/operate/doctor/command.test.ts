import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { writeKubeconfig } from '../../../helpers/cluster.ts';
import { doctorArgv } from '../../../helpers/doctor/run-doctor.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';
import { useLoneNode } from '../../../helpers/lone-node.ts';
import { hawserAsNobody } from '../../../helpers/unprivileged.ts';

const published = fromJSONSchema(
  JSON.parse(readFileSync(new URL('../../../../schemas/doctor.schema.json', import.meta.url), 'utf8')),
);

/** Has its own network, because a doctor that listens changes the firewall. */
const node = useLoneNode();

async function doctor(...flags: readonly string[]) {
  return await runCommand([...node.namespace.prefix, ...doctorArgv, ...flags], { timeoutMs: 60_000 });
}

test('the output of --json matches the published schema', async () => {
  const { stdout, exitCode } = await doctor('--json');
  const report: unknown = JSON.parse(stdout);
  expect(published.safeParse(report)).toMatchObject({ success: true });
  expect(published.safeParse({ ...Object(report), verdict: 'fine' })).toMatchObject({ success: false });
  expect([0, 1, 2]).toContain(exitCode);
});

test('an unknown check is refused with the names of all checks', async () => {
  const { stderr, exitCode } = await doctor('--only', 'prots');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^Cannot use --only "prots": no such check, expected .*ports/);
});

test('without root, checks that need it are reported as unknown', async () => {
  const only = ['--only', 'vrrp-adverts,nft', '--api-vips', '203.0.113.9', '--timeout', '20s'];
  const { stdout, exitCode } = await runCommand(
    [...node.namespace.prefix, ...hawserAsNobody(), 'doctor', '--json', ...only],
    {
      timeoutMs: 60_000,
    },
  );
  const { checks } = JSON.parse(stdout);
  const verdicts = checks.map(({ id, verdict, remedy }: Record<string, unknown>) => [id, verdict, remedy]);
  expect(verdicts).toContainEqual(['nft', 'unknown', 'run this as root']);
  expect(verdicts).toContainEqual(['vrrp-adverts', 'unknown', expect.stringContaining('as root')]);
  expect(exitCode).toBe(2);
});

test('values come from the settings file, and an invalid file is a finding that does not stop the other checks', async () => {
  const file = (text: string): string => join(temporaryRoot({ '/config.yaml': text }), 'config.yaml');
  const ask = async (text: string) => {
    const only = 'settings-file,vip-interface,rp-filter';
    const { stdout } = await doctor('--json', '--timeout', '20s', '--only', only, '--settings', file(text));
    const { checks } = JSON.parse(stdout);
    const said = (id: string) => checks.find((check: Record<string, string>) => check['id'] === id);
    return only.split(',').map((id) => `${said(id)?.verdict}: ${said(id)?.message}`);
  };
  const right = await ask('apiVips: [203.0.113.9]\n');
  expect(right[0]).toMatch(/^ok: .*config\.yaml is valid/);
  expect(right[1]).toMatch(/^fail: 203\.0\.113\.9/);
  const broken = await ask('apiVipz: [203.0.113.9]\nlbPort: many\n');
  expect(broken[0]).toMatch(/^fail: .*apiVipz.*lbPort/);
  expect(broken[2]).toBeDefined();
});

test('settings and kubeconfig are read from the node that is mounted at --root', async () => {
  const authority = createAuthority(join(temporaryRoot({}), 'pki'));
  const client = authority.issue({ commonName: 'hawser-of-cp-1' });
  const text = (file: string): string => readFileSync(file, 'utf8');
  const config = temporaryRoot({});
  const kubeconfig = writeKubeconfig(join(config, 'kubeconfig'), 'https://127.0.0.1:1', authority.certFile, {
    ...client,
    certFile: '/var/lib/pki/current.pem',
    keyFile: '/var/lib/pki/current.pem',
  });
  const root = temporaryRoot({
    '/etc/kubernetes/manifests/.kept': '',
    '/proc/1/comm': 'systemd\n',
    '/etc/hawser/config.yaml': 'apiVips: [203.0.113.9]\nhaproxy:\n  listen: 127.0.0.1:4999\n',
    '/etc/hawser/kubeconfig': text(kubeconfig).replaceAll(authority.certFile, '/etc/hawser/ca.crt'),
    '/etc/hawser/ca.crt': text(authority.certFile),
    '/var/lib/pki/current.pem': '->/var/lib/pki/2026.pem',
    '/var/lib/pki/2026.pem': text(client.certFile) + text(client.keyFile),
    '/proc/net/tcp': '0: 0100007F:1387 00000000:0000 0A 0:0 0:0 0 0 0 7',
  });
  const ask = async (only: string, ...flags: readonly string[]): Promise<readonly string[]> => {
    const argv = ['--json', '--timeout', '20s', '--root', root, '--only', only, ...flags];
    const { checks } = JSON.parse((await doctor(...argv)).stdout);
    const said = (id: string) => checks.find((check: Record<string, string>) => check['id'] === id);
    return only.split(',').map((id) => `${said(id)?.verdict}: ${said(id)?.message}`);
  };
  const only = 'settings-file,vip-interface,ports,client-certificate';
  for (const flags of [[], ['--settings', '/etc/hawser/config.yaml']]) {
    const [settings, vip, ports, certificate] = await ask(only, ...flags);
    expect(settings).toBe('ok: /etc/hawser/config.yaml is valid and was used for this report');
    expect(vip).toMatch(/^fail: 203\.0\.113\.9/);
    expect(ports).toMatch(/^unknown: port 4999 \(page of hawser haproxy monitor\) is in use/);
    expect(certificate).toMatch(/^ok: \/etc\/hawser\/kubeconfig: .*CN=hawser-of-cp-1/);
  }
  writeFileSync(join(root, '/etc/hawser/config.yaml'), 'apiVipz: [203.0.113.9]\n');
  expect((await ask('settings-file'))[0]).toMatch(/^fail: .*apiVipz/);
});
