/** What of a haproxy.cfg its clients can notice. */
export interface LoadBalancerFacts {
  readonly listeners: readonly Listener[];
  /** `cp-1 10.0.0.1:6443`, each once. */
  readonly servers: readonly string[];
}

export interface Listener {
  /** `frontend main`. */
  readonly proxy: string;
  /** As HAProxy reads it: `:::9445`, `127.0.0.1:29445`. */
  readonly address: string;
}

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
    if (word === 'server' && !/\sdisabled\b/.test(line)) servers.add(`${name} ${address}`);
  }
  return { listeners, servers: [...servers] };
}
