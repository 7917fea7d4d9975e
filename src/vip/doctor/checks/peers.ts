import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Check,
  type Finding,
  fail,
  moreRights,
  ok,
  skip,
  unknown,
  warn,
  worstOf,
} from '../../../engine/examine/check.ts';
import { judgeCertificate } from '../../../engine/examine/judge-certificate.ts';
import { askPeer } from '../../../engine/peers/ask-peer.ts';
import { type PeerCredentials, readCredentials } from '../../../engine/peers/credentials.ts';
import { isOfNode, namesIn } from '../../../engine/peers/identity.ts';
import type { Peer, PeerSetting } from '../../../engine/peers/peer.ts';
import { addressesOf } from '../../../engine/system/network/routes.ts';
import { knownNodes } from '../../group/known-nodes.ts';
import type { VipContext } from '../context.ts';

const RENEW = 'issue it anew (docs/peers.md); nothing has to be restarted';
const NOT_SET = 'no --peer-tls-… files are set: the nodes show each other nothing';

type Set = Extract<PeerSetting, { kind: 'set' }>;

/** The content of the three files, or the finding instead. */
async function credentialsOf(
  { files: hostFiles }: VipContext,
  { files }: Set,
): Promise<
  | { readonly kind: 'good'; readonly credentials: PeerCredentials }
  | { readonly kind: 'said'; readonly finding: Finding }
> {
  const { ca, cert, key } = files;
  const here = { ca: hostFiles.at(ca), cert: hostFiles.at(cert), key: hostFiles.at(key) };
  const look = await readCredentials(here, new Date());
  if (look.kind === 'good') return look;
  const finding = /EACCES|EPERM/.test(look.message)
    ? unknown(look.message, moreRights)
    : fail(look.message, RENEW);
  return { kind: 'said', finding };
}

const certificate: Check<VipContext> = {
  id: 'peer-certificate',
  title: 'Our certificate for peers',
  why: 'Without a good one this node is not believed by the others, and cannot ask them what they know.',
  run: async (context) => {
    const { peers } = context.settings;
    if (peers === undefined) return skip(NOT_SET);
    if (peers.kind === 'half') return fail(peers.problems.join('; '), 'set all of them, or none');
    const look = await credentialsOf(context, peers);
    if (look.kind === 'said') return look.finding;
    const { leaf } = look.credentials;
    const dates = { from: leaf.validFromDate, to: leaf.validToDate };
    const validity = judgeCertificate(
      { kind: 'certificate', subject: namesIn(leaf), ...dates },
      new Date(),
      RENEW,
    );
    return worstOf(
      [await judgeNames(context, look.credentials), await judgeMode(context, peers), validity],
      NOT_SET,
    );
  },
};

async function judgeNames({ settings, readings }: VipContext, { leaf }: PeerCredentials): Promise<Finding> {
  const vips = await readings.vips();
  const addresses = addressesOf(readings.interfaces()).filter((address) => !vips.includes(address));
  if (isOfNode(leaf, { name: settings.nodeName, addresses })) return ok('it is of this node');
  return fail(
    `the certificate is of ${namesIn(leaf)}, and this node is ${settings.nodeName}`,
    `issue one with DNS:${settings.nodeName} or an address of this node in it (docs/peers.md)`,
  );
}

async function judgeMode({ files }: VipContext, { files: { key } }: Set): Promise<Finding> {
  const { mode } = await stat(files.at(key));
  if ((mode & 0o077) === 0) return ok('its key is for its owner alone');
  return warn(
    `${key} has mode ${(mode & 0o777).toString(8)}: others on this node may read it`,
    `chmod 0600 ${key}`,
  );
}

const status: Check<VipContext> = {
  id: 'peer-status',
  title: 'What the peers publish',
  why: 'In an incident the first question is what the other nodes see; it is answered here, or on each of them.',
  run: async (context, signal) => {
    const { peers } = context.settings;
    if (peers?.kind !== 'set') return skip(NOT_SET);
    const look = await credentialsOf(context, peers);
    if (look.kind === 'said') return skip('see check peer-certificate');
    const others = await othersOf(context);
    if (typeof others === 'string') return unknown(others, 'name the nodes with --servers');
    const limits = { timeoutMs: context.answerTimeoutMs, maxBytes: 1_000_000, signal };
    const findings = others.map(async (peer) => {
      const access = { credentials: look.credentials, port: peers.port };
      return judgeAnswer(peer, peers.port, await askPeer(peer, '/status', access, limits));
    });
    return worstOf(await Promise.all(findings), 'there is no other node');
  },
};

function judgeAnswer(
  { name, address }: Peer,
  port: number,
  answer: Awaited<ReturnType<typeof askPeer>>,
): Finding {
  if (answer.kind === 'answer') return ok(`${name} answers`);
  return fail(
    `${name} (${address}): ${answer.problem}`,
    `look at check peer-certificate there; let TCP port ${port} through between the nodes`,
  );
}

/** With their names, which their certificates may have instead of addresses; or why they are not known. */
async function othersOf({ settings, files, readings }: VipContext): Promise<readonly Peer[] | string> {
  const known = await knownNodes(files.at(`${dirname(settings.keepalivedConfig)}/vrrp-nodes.json`));
  const own = addressesOf(readings.interfaces());
  if (known.length > 0)
    return known
      .filter(({ addresses }) => !addresses.some((each) => own.includes(each)))
      .map(({ name, addresses: [address = ''] }) => ({ name, address }));
  const look = await readings.peers();
  return look.kind === 'known' ? look.peers : look.reason;
}

export const peerChecks: readonly Check<VipContext>[] = [certificate, status];
