import type { Listener, LoadBalancerFacts } from '../model/change-facts.ts';

const sections = ['global', 'defaults', 'frontend', 'backend', 'listen'];

/** The parts of a haproxy.cfg that its clients can notice. Included files and macros are not followed. */
export function loadBalancerFacts(text: string): LoadBalancerFacts {
  const listeners: Listener[] = [];
  const servers = new Set<string>();
  let proxy = '';
  for (const line of text.split('\n')) {
    const [word = '', name = '', address = ''] = line
      .replace(/(^|\s)#.*/, '')
      .trim()
      .split(/\s+/);
    if (sections.includes(word)) proxy = `${word} ${name}`.trim();
    if (word === 'bind') listeners.push(...name.split(',').map((each) => ({ proxy, address: each })));
    if (word === 'server') servers.add(`${name} ${address}`);
  }
  return { listeners, servers: [...servers] };
}
