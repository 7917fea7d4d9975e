import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type PeerCredentials, readCredentials } from '../../../src/engine/peers/credentials.ts';
import type { PeerFiles } from '../../../src/engine/peers/peer.ts';
import { type CertificateRequest, createAuthority } from '../certificates.ts';

const HOUR_MS = 3_600_000;

export const expired = { from: new Date(Date.now() - 48 * HOUR_MS), to: new Date(Date.now() - HOUR_MS) };
export const early = { from: new Date(Date.now() + HOUR_MS), to: new Date(Date.now() + 48 * HOUR_MS) };

/** A directory that goes away with the test. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-peers-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** An authority and what it issued, as it lies in `/etc/hawser/peer` of a node. */
export interface PeerAuthority {
  /** Copies of their own, so that a test can spoil them. */
  readonly filesFor: (request: CertificateRequest) => PeerFiles;
  readonly credentialsFor: (request: CertificateRequest) => Promise<PeerCredentials>;
  readonly certFile: string;
}

export function peerAuthority(): PeerAuthority {
  const dir = temporaryFolder();
  const authority = createAuthority(join(dir, 'ca'));
  let nodes = 0;
  const filesFor = (request: CertificateRequest): PeerFiles => {
    const { certFile, keyFile } = authority.issue(request);
    nodes += 1;
    const at = (name: string) => join(dir, `node-${nodes}`, name);
    mkdirSync(join(dir, `node-${nodes}`));
    const files = { ca: at('ca.crt'), cert: at('tls.crt'), key: at('tls.key') };
    copyFileSync(authority.certFile, files.ca);
    copyFileSync(certFile, files.cert);
    copyFileSync(keyFile, files.key);
    return files;
  };
  return {
    filesFor,
    credentialsFor: async (request) => await credentialsIn(filesFor(request), request.validity?.from),
    certFile: authority.certFile,
  };
}

/** As they were good at `at`, if they are not now. */
export async function credentialsIn(files: PeerFiles, at = new Date()): Promise<PeerCredentials> {
  const look = await readCredentials(files, at);
  if (look.kind !== 'good') throw new Error(look.message);
  return look.credentials;
}
