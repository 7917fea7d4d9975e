import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedirectKeeper, type RedirectKeeper } from '../../../src/api-lb/redirect/redirect-keeper.ts';
import { REDIRECT_TABLE } from '../../../src/api-lb/redirect/ruleset.ts';
import {
  connectFrom,
  createNodeWithVip,
  elsewhere4,
  type NodeWithVip,
  own4,
  vip4,
  vip6,
  whoAnswers,
} from '../../helpers/node-with-vip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const wanted = { vips: [vip4, vip6], apiPort: 6443, lbPort: 9445 };
const present = { kind: 'present', changed: true };
const intact = { kind: 'present', changed: false };

let net: NodeWithVip;
let keeper: RedirectKeeper;

beforeAll(async () => {
  net = await createNodeWithVip();
});
beforeAll(() => {
  keeper = createRedirectKeeper({ nft: [...net.node.prefix, 'nft'] });
});
afterEach(async () => {
  await net.node.run('nft', 'flush', 'ruleset');
  await keeper.remove();
});
afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const ourTable = () => net.node.run('nft', 'list', 'table', 'inet', REDIRECT_TABLE);

const openConnection = async () => {
  const connection = connectFrom(net.client, vip4, 6443);
  await waitFor('the greeting', () => connection.received().includes('lb\n'));
  const proveOpen = async () => {
    connection.say('still there?\n');
    await waitFor('the echo', () => connection.received().includes('still there?'));
  };
  return { proveOpen };
};

describe('the redirect', () => {
  it.each([vip4, vip6])(
    'sends VIP %s to the load balancer, from another machine and from the node',
    async (vip) => {
      expect(await whoAnswers(net.client, vip, 6443)).toBe('api');
      expect(await whoAnswers(net.node, vip, 6443)).toBe('api');
      expect(await keeper.ensure(wanted)).toEqual(present);
      expect(await whoAnswers(net.client, vip, 6443)).toBe('lb');
      expect(await whoAnswers(net.node, vip, 6443)).toBe('lb');
    },
  );

  it('does not affect other addresses and ports of the node', async () => {
    await keeper.ensure(wanted);
    expect(await whoAnswers(net.client, own4, 6443)).toBe('api');
    expect(await whoAnswers(net.node, '127.0.0.1', 6443)).toBe('api');
    expect(await whoAnswers(net.client, vip4, 9445)).toBe('lb');
  });

  it('does not affect traffic to a VIP that another node holds', async () => {
    await keeper.ensure({ ...wanted, vips: [elsewhere4, vip4] });
    expect(await whoAnswers(net.node, elsewhere4, 6443)).toBe('other api');
    expect(await whoAnswers(net.client, elsewhere4, 6443)).toBe('other api');
    expect(await whoAnswers(net.client, vip4, 6443)).toBe('lb');
  });

  it('does not affect UDP to the same port', async () => {
    await keeper.ensure(wanted);
    await net.node.run(
      'nft',
      'add table ip seen; add chain ip seen in { type filter hook input priority 0; }',
    );
    await net.node.run(
      'nft',
      'add rule ip seen in udp dport 6443 counter; add rule ip seen in udp dport 9445 counter',
    );
    await net.client.run('bash', '-c', `echo hello > /dev/udp/${vip4}/6443`);
    const seen = await waitFor('the datagram to arrive', async () => {
      const rules = await net.node.run('nft', 'list', 'chain', 'ip', 'seen', 'in');
      return /dport \d+ counter packets 1/.test(rules) ? rules : undefined;
    });
    expect(seen).toMatch(/dport 6443 counter packets 1/);
    expect(seen).toMatch(/dport 9445 counter packets 0/);
  });

  it('follows a changed port and a removed VIP', async () => {
    await keeper.ensure(wanted);
    expect(await keeper.ensure({ ...wanted, vips: [vip4] })).toEqual(present);
    expect(await whoAnswers(net.client, vip6, 6443)).toBe('api');
    expect(await whoAnswers(net.client, vip4, 6443)).toBe('lb');
    expect(await keeper.ensure({ vips: [vip4], apiPort: 7000, lbPort: 9445 })).toEqual(present);
    expect(await whoAnswers(net.client, vip4, 6443)).toBe('api');
    expect(await whoAnswers(net.client, vip4, 7000)).toBe('lb');
  });
});

describe('the redirect table', () => {
  it('is unchanged while it is intact', async () => {
    await keeper.ensure(wanted);
    const before = await net.node.run('nft', '-a', 'list', 'ruleset');
    expect(await keeper.ensure(wanted)).toEqual(intact);
    expect(await net.node.run('nft', '-a', 'list', 'ruleset')).toBe(before);
  });

  it.each([
    ['the whole ruleset was flushed', 'flush ruleset'],
    ['its table was deleted', `delete table inet ${REDIRECT_TABLE}`],
    ['a chain was emptied', `flush chain inet ${REDIRECT_TABLE} prerouting`],
    ['an element was removed', `delete element inet ${REDIRECT_TABLE} vip4 { ${vip4} . 6443 }`],
    ['a rule was put in front', `insert rule inet ${REDIRECT_TABLE} output accept`],
    ['the table was made dormant', `add table inet ${REDIRECT_TABLE} { flags dormant; }`],
  ])('is repaired when %s', async (_what, command) => {
    await keeper.ensure(wanted);
    await net.node.run('nft', command);
    expect(await keeper.ensure(wanted)).toEqual(present);
    expect(await keeper.ensure(wanted)).toEqual(intact);
    expect(await whoAnswers(net.client, vip4, 6443)).toBe('lb');
    expect(await whoAnswers(net.node, vip4, 6443)).toBe('lb');
  });

  it('can be replaced without breaking redirected connections', async () => {
    await keeper.ensure(wanted);
    const connection = await openConnection();
    await keeper.ensure({ ...wanted, vips: [vip4] });
    await net.node.run('nft', 'insert', 'rule', 'inet', REDIRECT_TABLE, 'output', 'accept');
    await keeper.ensure({ ...wanted, vips: [vip4] });
    await connection.proveOpen();
  });

  it('of an earlier process is replaced', async () => {
    await keeper.ensure({ ...wanted, lbPort: 1 });
    const next = createRedirectKeeper({ nft: [...net.node.prefix, 'nft'] });
    expect(await next.ensure(wanted)).toEqual(present);
    expect(await whoAnswers(net.client, vip4, 6443)).toBe('lb');
  });

  it('of one instance is independent of that of another', async () => {
    const nft = [...net.node.prefix, 'nft'] as const;
    const other = createRedirectKeeper({ nft, instance: 'b-2' });
    expect(await other.ensure({ ...wanted, apiPort: 7443 })).toEqual(present);
    expect(await keeper.ensure(wanted)).toEqual(present);
    expect(await other.ensure({ ...wanted, apiPort: 7443 })).toEqual({ kind: 'present', changed: false });
    expect(await whoAnswers(net.client, vip4, 7443)).toBe('lb');
    expect(await keeper.remove()).toEqual({ kind: 'absent', changed: true });
    expect(await whoAnswers(net.client, vip4, 7443)).toBe('lb');
    expect(await other.remove()).toEqual({ kind: 'absent', changed: true });
    expect(await net.node.run('nft', 'list', 'tables')).toBe('');
  });
});

describe('a redirect that cannot be added', () => {
  it('reports that nft is missing', async () => {
    const without = createRedirectKeeper({ nft: ['/nonexistent/nft'] });
    const outcome = {
      kind: 'failed',
      message: expect.stringMatching(/"\/nonexistent\/nft" cannot be run \(ENOENT\)/),
    };
    expect(await without.ensure(wanted)).toEqual(outcome);
    expect(await without.remove()).toEqual(outcome);
  });

  it('reports that nft lacks permission', async () => {
    const nft = [...net.node.prefix, 'setpriv', '--bounding-set=-all', '--inh-caps=-all', 'nft'] as const;
    const outcome = { kind: 'failed', message: expect.stringContaining('Operation not permitted') };
    expect(await createRedirectKeeper({ nft }).ensure(wanted)).toEqual(outcome);
    expect(await createRedirectKeeper({ nft }).remove()).toEqual(outcome);
  });

  it('reports an invalid address before calling nft', async () => {
    const hostile = '10.9.0.100 . 6443 : 1.2.3.4 . 1 }; }; flush ruleset';
    const outcome = await keeper.ensure({ ...wanted, vips: [hostile] });
    expect(outcome).toEqual({ kind: 'failed', message: expect.stringContaining('it is not an address') });
  });
});

describe('removing the redirect', () => {
  it('does not break redirected connections if another program translates addresses on the node', async () => {
    await net.node.run(
      'nft',
      'add table ip kube; add chain ip kube c { type nat hook prerouting priority -100; }',
    );
    await net.node.run('nft', 'add rule ip kube c tcp dport 30000 dnat to 10.9.0.1:6443');
    await keeper.ensure(wanted);
    const connection = await openConnection();
    await keeper.remove();
    await connection.proveOpen();
  });

  it('returns the port to the API server, and can be repeated', async () => {
    await keeper.ensure(wanted);
    expect(await keeper.remove()).toEqual({ kind: 'absent', changed: true });
    expect(await whoAnswers(net.client, vip4, 6443)).toBe('api');
    expect(await keeper.remove()).toEqual({ kind: 'absent', changed: false });
    await expect(ourTable()).rejects.toThrow('No such file');
  });

  it('happens when there is no VIP left', async () => {
    await keeper.ensure(wanted);
    expect(await keeper.ensure({ ...wanted, vips: [] })).toEqual({ kind: 'absent', changed: true });
    await expect(ourTable()).rejects.toThrow('No such file');
  });

  it('never changes another table', async () => {
    await net.node.run(
      'nft',
      'add table ip other; add chain ip other c { type nat hook prerouting priority -100; }',
    );
    await net.node.run('nft', 'add rule ip other c tcp dport 1 counter accept');
    const before = await net.node.run('nft', '-a', 'list', 'table', 'ip', 'other');
    await keeper.ensure(wanted);
    await keeper.ensure({ ...wanted, vips: [vip4] });
    await keeper.remove();
    expect(await net.node.run('nft', '-a', 'list', 'table', 'ip', 'other')).toBe(before);
  });
});
