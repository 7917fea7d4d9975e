import { renderFixture } from '../../helpers/vrrp/today.ts';
import { configurationTexts, generationText } from '../reload/configuration.ts';
import { type HostPaths, ports, servers } from '../reload/layout.ts';
import { HAPROXY, subjectCommand } from '../reload/subject.ts';

/** Whose configuration carries the load. `bare` is the minimum HAProxy needs for load balancing. */
export const subjects = ['hawser', 'shell', 'openshift', 'kubeadm', 'bare'] as const;
export type Subject = (typeof subjects)[number];

export interface DataSubject {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** The file's text. HAProxy reports its number on the generation port. */
  readonly textOf: (generation: number) => string;
  /** Through the control socket, or with SIGUSR2 to the master, as `systemctl reload haproxy` does. */
  readonly reloadBy: 'socket' | 'signal';
}

export function dataSubject(subject: Subject, paths: HostPaths): DataSubject {
  switch (subject) {
    case 'hawser':
    case 'shell': {
      const { argv, environment } = subjectCommand(subject, paths);
      const textOf = configurationTexts(subject === 'hawser' ? 'template' : 'plain', paths);
      return { argv, environment, textOf, reloadBy: 'socket' };
    }
    case 'openshift':
    case 'kubeadm': {
      const list = servers.map(({ name, host, port }) => ({ name, endpoint: `${host}:${port}` }));
      return plainHaproxy(
        renderFixture(`keepalived/${subject}.haproxy.cfg.ejs`, { ports, servers: list }),
        paths,
      );
    }
    case 'bare':
      return plainHaproxy(bareText, paths);
  }
}

function plainHaproxy(text: string, paths: HostPaths): DataSubject {
  return {
    argv: [HAPROXY, '-W', '-db', '-f', paths.config, '-p', paths.pidFile],
    environment: {},
    textOf: (generation) => `${text}\n${generationListener(generation)}`,
    reloadBy: 'signal',
  };
}

function generationListener(generation: number): string {
  return `listen bench_generation
  mode http
  bind 127.0.0.1:${ports.generation}
  timeout client 5s
  http-request return status 200 content-type text/plain string "${generationText(generation)}"
`;
}

const bareText = `defaults
  mode tcp
  timeout connect 3s
  timeout client 1h
  timeout server 1h
listen main
  bind 127.0.0.1:${ports.lb}
${servers.map(({ name, host, port }) => `  server ${name} ${host}:${port}`).join('\n')}`;
