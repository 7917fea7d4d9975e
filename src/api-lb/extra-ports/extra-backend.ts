/** The backend of its servers in `templates/haproxy.cfg.ejs`. */
export function extraBackend(name: string): string {
  return `extra_${name}`;
}

/** The name of the extra port with this backend; undefined for any other backend. */
export function extraPortOf(backend: string): string | undefined {
  return /^extra_([a-z0-9-]+)$/.exec(backend)?.[1];
}
