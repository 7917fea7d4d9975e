import type { ApiServer } from '../api-server.ts';
import type { ResourceNews } from '../resource-view.ts';
import type { ServerChoice } from './choose-servers.ts';
import type { ServerFinding } from './server-objects.ts';
import type { Observation } from './source.ts';

/**
 * Turns news of objects into observations of API servers. A watch event counts only if it changes the result, which a
 * node's heartbeat does not, or if it ends an outage. A poll always counts.
 */
export function createServerView(settings: {
  readonly objects: () => readonly ServerFinding[] | undefined;
  readonly choose: (findings: readonly ServerFinding[]) => ServerChoice;
  readonly remember: (servers: readonly ApiServer[]) => void;
  readonly push: (observation: Observation) => void;
}): (news: ResourceNews) => void {
  const { objects, choose, remember, push } = settings;
  let lastShown: string | undefined;

  const show = (via: 'watch' | 'poll', from: string) => {
    const choice = choose(objects() ?? []);
    const shown = JSON.stringify(choice);
    if (via === 'watch' && shown === lastShown) return;
    lastShown = shown;
    remember(choice.servers);
    push({ kind: 'servers', via, ...choice, from });
  };

  return (news) => {
    switch (news.kind) {
      case 'objects':
        return show(news.via, news.from);
      case 'available':
        lastShown = undefined;
        return;
      case 'unavailable':
        return push(news);
    }
  };
}
