import type { DownstreamPod } from '../../test/helpers/pod-objects.ts';
import { waitFor } from '../../test/helpers/wait-for.ts';
import { pods, type Stage, templates } from './stage.ts';

/** Something that happens to the pods or to the annotation. `run` resolves with what came of it. */
export interface Step {
  readonly title: string;
  readonly run: (stage: Stage) => Promise<string>;
}

/** The steps of one template, under load on its port. */
export interface Scene {
  readonly title: string;
  readonly port: number;
  readonly begin: (stage: Stage) => Promise<void>;
  readonly steps: readonly Step[];
}

const { web1, web2, api1, zk0, zk1 } = pods;
const withoutWeb1 = [{ ...web1, ready: false }, web2, api1];

export const scenes: readonly Scene[] = [
  {
    title: 'the template with health checks, for every group',
    port: 80,
    begin: ({ show, proxy }) => {
      show(templates.http, [web1]);
      return proxy.serves('web-1');
    },
    steps: [
      { title: 'a second pod is ready', run: serving(templates.http, [web1, web2], ['web-1', 'web-2']) },
      {
        title: 'a pod of another group is ready',
        run: serving(templates.http, [web1, web2, api1], ['api-1', 'web-1', 'web-2']),
      },
      {
        title: 'a pod is not ready any more',
        run: serving(templates.http, withoutWeb1, ['api-1', 'web-1']),
      },
      { title: 'a loop of the template is not closed', run: breakTemplate },
      { title: 'the template is repaired', run: serving(templates.http, [web1, web2], ['web-1', 'web-2']) },
    ],
  },
  {
    title: 'the template of a TCP service',
    port: 2_181,
    begin: ({ show, proxy }) => {
      show(templates.zookeeper, [zk0]);
      return proxy.serves('zookeeper-1');
    },
    steps: [
      {
        title: 'a second pod is ready',
        run: serving(templates.zookeeper, [zk0, zk1], ['zookeeper-1', 'zookeeper-2']),
      },
      {
        title: 'a pod is asked to end',
        run: serving(templates.zookeeper, [{ ...zk0, terminating: true }, zk1], ['zookeeper-1']),
      },
    ],
  },
];

function serving(template: string, shown: readonly DownstreamPod[], servers: readonly string[]): Step['run'] {
  return async ({ proxy, show }) => {
    const changes = () =>
      proxy.events().filter(({ event }) => /^configuration-(?:changed|reloaded)$/.test(event));
    const before = changes().length;
    show(template, shown);
    await proxy.serves(...servers);
    const last = await waitFor('the change', () => changes()[before]);
    return `${servers.join(', ')}, after ${Math.round(Number(last['changeMs']))} ms`;
  };
}

async function breakTemplate({ proxy, show, eventsOfPod }: Stage): Promise<string> {
  show(`${templates.http}{% for x in hosts %}`, withoutWeb1);
  await waitFor('the problem', async () => (await proxy.status()).problem !== null);
  const event = await waitFor('the Event', async () => (await eventsOfPod('events'))[0]);
  return `nothing changes; Event ${event['reason']}: ${event['message']}`;
}
