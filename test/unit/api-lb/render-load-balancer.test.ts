import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBalancerModel } from '../../../src/api-lb/load-balancer.ts';
import type { ApiServer } from '../../../src/engine/kube/api-server.ts';
import { safeServerName } from '../../../src/engine/kube/control-plane/server-name.ts';
import { renderTemplate } from '../../../src/engine/render/render-template.ts';
import { anyText } from '../../helpers/any-text.ts';
import { defaultLoadBalancerSettings as settings } from '../../helpers/load-balancer-settings.ts';
import { renderLoadBalancer } from '../../helpers/render-load-balancer.ts';

const templatePath = fileURLToPath(new URL('../../../templates/haproxy.cfg.ejs', import.meta.url));
const template = readFileSync(templatePath, 'utf8');
const render = (servers: readonly ApiServer[], text = template) =>
  renderLoadBalancer(text, settings, servers, { templatePath });

const server = (name: string, address = '10.0.0.1', port = 6443) => ({ name, address, port });

/** The first word of each line: HAProxy's keyword. */
const directives = (text: string) => text.split('\n').map((line) => line.trim().split(/\s/)[0]);

const hostile = fc.oneof(
  anyText(),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r',
        ' ',
        '\t',
        '\0',
        '#',
        '\\',
        '"',
        "'",
        '$',
        '{',
        '}',
        '<%=',
        '%>',
        'server',
        '1',
      ),
    )
    .map((parts) => parts.join('')),
);

it('logs connections only if `logConnections` is set', () => {
  const textOf = (logConnections: boolean) => {
    const outcome = renderLoadBalancer(template, { ...settings, logConnections }, [server('a')], {
      templatePath,
    });
    return outcome.kind === 'rendered' ? outcome.text : outcome.message;
  };
  expect(textOf(false)).toMatch(/option dontlog-normal/);
  expect(textOf(false)).not.toMatch(/logasap/);
  expect(textOf(true)).toMatch(/option logasap\n {2}log-format "connection client=/);
  expect(textOf(true)).not.toMatch(/dontlog-normal/);
});

describe('a drained server', () => {
  const masters = (servers: readonly ApiServer[]) => {
    const outcome = render(servers);
    if (outcome.kind !== 'rendered') throw new Error(outcome.message);
    return outcome.text.match(/^ {2}server .* track .*$/gm)?.map((line) => line.trim());
  };
  const drained = { ...server('a'), drained: true as const };

  it('is disabled but still checked', () => {
    expect(masters([drained, server('b', '10.0.0.2')])).toEqual([
      'server a 10.0.0.1:6443 track masters_checks/a disabled',
      'server b 10.0.0.2:6443 track masters_checks/b',
    ]);
  });

  it('still serves if all servers are drained', () => {
    expect(masters([drained])).toEqual(['server a 10.0.0.1:6443 track masters_checks/a']);
  });
});

describe('hostile data', () => {
  it('in valid names gives the same directives as harmless data', () => {
    const harmless = render([server('a')]);
    fc.assert(
      fc.property(hostile, (name) => {
        const outcome = render([server(safeServerName(name) ?? 'unnamed')]);
        expect(outcome.kind).toBe('rendered');
        if (outcome.kind !== 'rendered' || harmless.kind !== 'rendered') return;
        expect(directives(outcome.text)).toEqual(directives(harmless.text));
      }),
    );
  });

  it('that passes every source adds no directive, or is refused', () => {
    const harmless = render([server('a')]);
    fc.assert(
      fc.property(hostile, hostile, fc.double(), (name, address, port) => {
        const outcome = render([{ name, address, port }]);
        if (outcome.kind !== 'rendered' || harmless.kind !== 'rendered') return;
        expect(directives(outcome.text)).toEqual(directives(harmless.text));
      }),
    );
  });

  it('is refused by the template engine if a template prints it escaped', () => {
    const model = loadBalancerModel(settings, [server('a\nserver evil 6.6.6.6:1')]);
    expect(renderTemplate(template, model, { templatePath })).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['a name', { name: 'a b' }],
    ['an address', { address: '10.0.0.1:1 weight 0' }],
    ['a port', { port: 0 }],
    ['a fraction of a port', { port: 1.5 }],
  ])('in %s is refused even if a template prints it unescaped', (_what, part) => {
    const raw = '<%- servers[0].name %> <%- servers[0].endpoint %>';
    expect(render([{ ...server('a'), ...part }], raw)).toMatchObject({ kind: 'failed' });
  });

  it('in a path of the settings is refused', () => {
    const outcome = renderLoadBalancer('<%- statsSocket %>', { ...settings, statsSocket: '/a\nb' }, [], {
      templatePath,
    });
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('the path "/a\\nb"') });
  });
});

it('refuses two servers with the same name, as HAProxy would', () => {
  expect(render([server('a'), server('a', '10.0.0.2')])).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('"a" is used twice'),
  });
});

it('gives the same bytes for the same servers in any order', () => {
  const servers = ['a', 'b', 'c', 'd'].map((name, index) => server(name, `10.0.0.${index}`));
  fc.assert(
    fc.property(fc.shuffledSubarray(servers, { minLength: 4 }), (shuffled) => {
      expect(render(shuffled)).toEqual(render(servers));
    }),
  );
});

it('holds a recovering server down as long as the comment states, and a lone server not at all', () => {
  const seconds = (text: string) => Number(text.replace(/s$/, ''));
  const servers = ['a', 'b', 'c'].map((name, index) => server(name, `10.0.0.${index}`));
  const { check } = loadBalancerModel(settings, servers);
  expect(seconds(check.holdDown)).toBe((check.rise - 1) * seconds(check.fastinter));
  expect(seconds(check.holdDown)).toBe(10);
  expect(seconds(loadBalancerModel(settings, servers.slice(0, 1)).check.holdDown)).toBe(0);
});
