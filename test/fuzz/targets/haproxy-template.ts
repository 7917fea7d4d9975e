import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiServer } from '../../../src/engine/kube/api-server.ts';
import {
  chooseServers,
  type ServerCandidate,
} from '../../../src/engine/kube/control-plane/choose-servers.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';
import { renderLoadBalancer } from '../../helpers/render-load-balancer.ts';
import { candidates, vipLists } from '../hostile-nodes.ts';
import { JUDGE_WITHIN_MS, openJudged, type SideBySide, shippedTemplate } from '../judge.ts';
import { attackTogether, type Target } from '../target.ts';

const AT_ONCE = 250;
const { text: template, templatePath } = shippedTemplate('haproxy.cfg');

export const haproxyTemplate: Target = {
  name: 'haproxy-template',
  claim: 'whatever nodes the API has, HAProxy takes the file, which has these servers and no directive more',
  open: () =>
    openJudged(
      {
        checkWith: (run) =>
          createConfigurationCheck({ haproxyPath: '/usr/sbin/haproxy', timeoutMs: JUDGE_WITHIN_MS, run }),
        sideBySide,
        interfaces: 0,
      },
      (judge) => attackTogether(fc.tuple(candidates, vipLists), { prepare, judge, atOnce: AT_ONCE }),
    ),
};

type Case = readonly [readonly ServerCandidate[], readonly string[]];

function prepare([found, vips]: Case): string {
  const { servers } = chooseServers(found, { vips, subnets: ['10.0.0.1/24', 'fd00::1/64'] });
  const text = render(servers);
  const named = [...text.matchAll(/^ {2}server (\S+) .* track /gm)].map(([, name]) => name);
  assert.deepEqual(new Set(servers.map(({ name }) => name)), new Set(named));
  assert.deepEqual(directivesOf(text), harmlessDirectives(servers.length));
  return text;
}

/** Sections get unique names. `global` and `defaults` are the same in all texts and are taken from the first. */
const sideBySide: SideBySide = (texts) =>
  texts
    .map((text, index) => {
      const [head = '', ...sections] = text.split(/^(?=frontend main$)/m);
      const named = sections
        .join('')
        .replaceAll(/^(frontend|backend|listen| {2}default_backend) (\S+)$/gm, `$1 $2-${index}`)
        .replaceAll('nbsrv(masters)', `nbsrv(masters-${index})`)
        .replaceAll(' track masters_checks/', ` track masters_checks-${index}/`);
      return `${index === 0 ? head : ''}${named}`;
    })
    .join('\n');

function render(servers: readonly ApiServer[]): string {
  const outcome = renderLoadBalancer(template, defaultLoadBalancerSettings, servers, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  return outcome.text;
}

/** The first word of each line, which is HAProxy's directive. */
const directivesOf = (text: string) => text.split('\n').map((line) => line.trim().split(/\s/)[0]);

const known = new Map<number, readonly (string | undefined)[]>();
function harmlessDirectives(count: number) {
  const directives = known.get(count) ?? directivesOf(render(harmless(count)));
  known.set(count, directives);
  return directives;
}

const harmless = (count: number): readonly ApiServer[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `n${index}`,
    address: `10.1.0.${index + 1}`,
    port: 6443,
  }));
