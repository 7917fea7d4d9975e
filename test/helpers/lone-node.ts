import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { batch, createNetNamespace, type NetNamespace } from './net-namespace.ts';

export interface LoneNode {
  readonly namespace: NetNamespace;
  /** A new, empty one for each test. */
  readonly directory: string;
  /** In the directory. */
  readonly at: (name: string) => string;
}

/** For the tests of a file: a node with 10.77.0.1 on its eth0, and no host at the other end. */
export function useLoneNode(): LoneNode {
  let namespace: NetNamespace;
  let directory: string;
  beforeAll(async () => {
    namespace = await createNode();
  });
  afterAll(() => namespace?.remove());
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hawser-lone-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  return {
    get namespace() {
      return namespace;
    },
    get directory() {
      return directory;
    },
    at: (name) => join(directory, name),
  };
}

async function createNode(): Promise<NetNamespace> {
  const node = await createNetNamespace();
  await batch(node, [
    'link add eth0 type veth peer name far0',
    'link set far0 up',
    'address add 10.77.0.1/24 dev eth0',
    'link set eth0 up',
  ]);
  return node;
}
