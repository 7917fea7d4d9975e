import { readdirSync } from 'node:fs';

/**
 * Process metrics in Prometheus' text format: build information, and the standard `process_*` metrics of the client libraries, which would cost a
 * supervisor megabytes (docs/internals/decisions/0003).
 */
export function processMetrics(build: Readonly<Record<string, string>>): () => string {
  const startedAt = Date.now() / 1_000 - process.uptime();
  const labels = Object.entries(build).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '')}"`);
  const show = (type: string, name: string, help: string, value: number, of = ''): string =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}${of} ${value}\n`;
  return () => {
    const { user, system } = process.cpuUsage();
    const cpu = (user + system) / 1e6;
    const fds = openFiles();
    return [
      show('gauge', 'hawser_build_info', 'Always 1; the labels name the build.', 1, `{${labels.join(',')}}`),
      show('counter', 'process_cpu_seconds_total', 'User and system CPU time in seconds.', cpu),
      show('gauge', 'process_resident_memory_bytes', 'Resident memory in bytes.', process.memoryUsage.rss()),
      show('gauge', 'process_start_time_seconds', 'Unix time at which the process started.', startedAt),
      ...(fds === undefined ? [] : [show('gauge', 'process_open_fds', 'Open file descriptors.', fds)]),
    ].join('\n');
  };
}

/** Undefined if `/proc` cannot be read, or no descriptor is left to read it with. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
